import { useState } from 'react';

export interface Action {
  /** Why the last one failed; undefined: it did not. */
  readonly error: unknown;
  readonly run: (work: () => Promise<unknown>) => void;
  readonly clear: () => void;
}

/** Runs what a button does, and keeps why it failed for the page to show. */
export function useAction(): Action {
  const [error, setError] = useState<unknown>();
  return {
    error,
    clear: () => setError(undefined),
    run: (work) => {
      setError(undefined);
      work().catch(setError);
    },
  };
}
