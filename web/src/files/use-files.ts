import type { File as ChatFile } from 'parley/client';
import { useEffect, useState } from 'react';
import { useShownChat } from '../chat/use-chat';
import { client } from '../session/client';
import { useStore } from '../ui/store';

const PAGE = 100;
const NONE: readonly ChatFile[] = [];

export interface Files {
  /** The newest first; undefined: not known yet. */
  readonly items: readonly ChatFile[] | undefined;
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly loadMore: () => Promise<void>;
  readonly remove: (file: ChatFile) => Promise<void>;
}

/** The files of the chat: a page of them at a time, and those that are added meanwhile. */
export function useFiles(): Files {
  const chat = useShownChat();
  const added = useStore(chat.view, ({ conversation }) => conversation?.files ?? NONE);
  const [listed, setListed] = useState<readonly ChatFile[]>();
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const [cursor, setCursor] = useState<string | null>(null);
  const [error, setError] = useState<unknown>();
  const load = async (from: string | null, signal?: AbortSignal): Promise<void> => {
    try {
      const query = { chat_id: chat.id, limit: PAGE, ...(from !== null && { cursor: from }) };
      const page = await client.files.list(query, { signal });
      setListed((known = []) => [...known, ...page.items]);
      setCursor(page.next_cursor);
      setError(undefined);
    } catch (thrown) {
      if (!signal?.aborted) setError(thrown);
    }
  };
  useEffect(() => {
    const stop = new AbortController();
    setListed(undefined);
    void load(null, stop.signal);
    return () => stop.abort();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `load` is of the chat
  }, [chat]);
  return {
    items: listed && merged(listed, added).filter(({ id }) => !removed.has(id)),
    error,
    hasMore: cursor !== null,
    loadMore: () => load(cursor),
    remove: async ({ id }) => {
      try {
        await client.files.delete(id);
        setRemoved((known) => new Set([...known, id]));
        setError(undefined);
      } catch (thrown) {
        setError(thrown);
      }
    },
  };
}

function merged(listed: readonly ChatFile[], added: readonly ChatFile[]): readonly ChatFile[] {
  const byId = new Map([...listed, ...added].map((file) => [file.id, file]));
  return [...byId.values()].sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
}
