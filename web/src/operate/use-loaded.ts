import { useEffect, useEffectEvent, useState } from 'react';

export interface Loaded<T> {
  /** Undefined until it is there; it stays while it is read again. */
  readonly value: T | undefined;
  readonly error: unknown;
  readonly reload: () => void;
}

/**
 * The answer of a request, which is sent again when one of `parts` changes.
 * @param every ask again after so many ms, while the page is in sight
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  { parts = [], every }: { readonly parts?: readonly unknown[]; readonly every?: number } = {},
): Loaded<T> {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState<unknown>();
  const [turn, setTurn] = useState(0);
  const reload = (): void => setTurn((it) => it + 1);
  const read = useEffectEvent(load);
  const key = JSON.stringify(parts);
  useEffect(() => {
    const stop = new AbortController();
    read(stop.signal).then(
      (loaded) => {
        setValue(loaded);
        setError(undefined);
      },
      (thrown: unknown) => !stop.signal.aborted && setError(thrown),
    );
    return () => stop.abort();
  }, [key, turn]);
  useEffect(() => {
    if (every === undefined) return;
    const timer = setInterval(() => !document.hidden && reload(), every);
    return () => clearInterval(timer);
  }, [every]);
  return { value, error, reload };
}
