import { useState } from 'react';

export interface Settling {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Stays busy where it succeeds: the stream tells the rest. */
  readonly settle: (action: () => Promise<unknown>) => Promise<void>;
}

/** The state of a decision on its way to the server. */
export function useSettling(): Settling {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const settle = async (action: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await action();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return { isBusy, error, settle };
}
