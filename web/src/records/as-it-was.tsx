import { use } from 'react';
import type { ReactNode } from 'react';
import { IsPast } from './use-shown';

/** A card that can't be used where it is shown as it was. */
export function AsItWas({ children }: { children: ReactNode }) {
  const isPast = use(IsPast);
  return <div inert={isPast}>{children}</div>;
}
