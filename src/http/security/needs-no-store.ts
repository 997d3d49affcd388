import { SetMetadata } from '@nestjs/common';

export const NEEDS_NO_STORE = 'needs-no-store';

/** Marks a controller that works while the store is unavailable. */
export const NeedsNoStore = (): ClassDecorator => SetMetadata(NEEDS_NO_STORE, true);
