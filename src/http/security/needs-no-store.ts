import { SetMetadata } from '@nestjs/common';

export const NEEDS_NO_STORE = 'needs-no-store';

/** Marks a controller that answers also while the store is away. */
export const NeedsNoStore = (): ClassDecorator => SetMetadata(NEEDS_NO_STORE, true);
