import { useEffect, useState } from 'react';
import { useRoute } from 'wouter';
import type { ChatRow } from '../feed/feed-state';
import { client } from '../session/client';
import { common } from '../strings/common';
import { sidebarText as text } from '../strings/sidebar';
import { Fault } from '../ui/fault';
import { ChatLink } from './chat-link';
import css from './sidebar.module.css';

/** Chats whose title or beginning contains a text. */
export function Found({ query }: { query: string }) {
  const [found, setFound] = useState<readonly ChatRow[]>();
  const [error, setError] = useState<unknown>();
  const [, here] = useRoute('/chats/:chat');
  useEffect(() => {
    const stop = new AbortController();
    const search = async (): Promise<void> => {
      const { items } = await client.chats.list({ q: query, limit: 50 }, { signal: stop.signal });
      setFound(items);
      setError(undefined);
    };
    const timer = setTimeout(() => {
      search().catch((thrown: unknown) => !stop.signal.aborted && setError(thrown));
    }, 150);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [query]);
  if (error !== undefined) return <Fault error={error} />;
  if (!found) return <p className={css['note']}>{common.loading}</p>;
  if (found.length === 0) return <p className={css['note']}>{text.nothingFound}</p>;
  return (
    <div className={css['rows']}>
      {found.map((chat) => (
        <ChatLink key={chat.id} chat={chat} isOpen={chat.id === here?.chat} />
      ))}
    </div>
  );
}
