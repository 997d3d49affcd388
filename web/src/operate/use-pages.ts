import { useEffect, useEffectEvent, useRef, useState } from 'react';

interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

export interface Pages<T> {
  readonly items: readonly T[] | undefined;
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly more: () => void;
  /** Begins with the first page again. */
  readonly reload: () => void;
}

/** A list that the server tells page by page. */
export function usePages<T>(load: (cursor: string | undefined) => Promise<Page<T>>): Pages<T> {
  const [items, setItems] = useState<readonly T[]>();
  const [cursor, setCursor] = useState<string | null>(null);
  const [error, setError] = useState<unknown>();
  /** Answers to what was asked before a reload come too late. */
  const turn = useRef(0);
  const read = async (from: string | undefined): Promise<void> => {
    const own = from === undefined ? ++turn.current : turn.current;
    try {
      const page = await load(from);
      if (own !== turn.current) return;
      setItems((all) => (from === undefined ? page.items : [...(all ?? []), ...page.items]));
      setCursor(page.next_cursor);
      setError(undefined);
    } catch (thrown) {
      if (own === turn.current) setError(thrown);
    }
  };
  const reload = (): void => void read(undefined);
  const begin = useEffectEvent(reload);
  useEffect(() => begin(), []);
  return {
    items,
    error,
    hasMore: cursor !== null,
    more: () => cursor !== null && void read(cursor),
    reload,
  };
}
