import { useCallback, useEffect, useRef } from 'react';
import { VList } from 'virtua';
import { useRoute } from 'wouter';
import { NotTold } from '../feed/not-told';
import { feed } from '../feed/shared-feed';
import { withPage } from '../feed/feed-state';
import type { ChatRow } from '../feed/feed-state';
import { client } from '../session/client';
import { sidebarText as text } from '../strings/sidebar';
import { useStore } from '../ui/store';
import { useNow } from '../ui/use-now';
import { ChatLink } from './chat-link';
import css from './sidebar.module.css';

type Row = { readonly heading: string } | { readonly chat: ChatRow };

/** All chats, the newest first; further ones are read when the end comes into sight. */
export function ChatList() {
  const { chats, isKnown } = useStore(feed);
  const [, here] = useRoute('/chats/:chat');
  const more = useMoreChats();
  const now = useNow(60_000);
  if (!isKnown && chats.length === 0) return <NotTold className={css['note']} />;
  if (chats.length === 0) return <p className={css['note']}>{text.empty}</p>;
  const rows = withHeadings(chats, new Date(now));
  return (
    <VList className={css['rows']} data={rows} onScroll={() => more()}>
      {(row) =>
        'heading' in row ? (
          <h2 key={row.heading} className={css['day']}>
            {row.heading}
          </h2>
        ) : (
          <ChatLink key={row.chat.id} chat={row.chat} isOpen={row.chat.id === here?.chat} />
        )
      }
    </VList>
  );
}

/** Reads the next page of the list once it is asked for. */
function useMoreChats(): () => void {
  const cursor = useRef<string | null | undefined>(undefined);
  const isBusy = useRef(false);
  const load = useCallback(async (): Promise<void> => {
    if (isBusy.current || cursor.current === null) return;
    isBusy.current = true;
    try {
      const page = await client.chats.list({ limit: 100, cursor: cursor.current });
      cursor.current = page.next_cursor;
      feed.set(withPage(feed.get(), page.items));
    } catch {
      // The next scroll tries again.
    } finally {
      isBusy.current = false;
    }
  }, []);
  useEffect(() => {
    if (feed.get().chats.length >= 50) void load();
  }, [load]);
  return () => void load();
}

function withHeadings(chats: readonly ChatRow[], now: Date): readonly Row[] {
  const rows: Row[] = [];
  let last = '';
  for (const chat of chats) {
    const heading = dayOf(new Date(chat.updated_at), now);
    if (heading !== last) rows.push({ heading });
    rows.push({ chat });
    last = heading;
  }
  return rows;
}

function dayOf(at: Date, now: Date): string {
  const days = Math.round((midnight(now) - midnight(at)) / 86_400_000);
  if (days <= 0) return text.today;
  return days === 1 ? text.yesterday : text.earlier;
}

function midnight(at: Date): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}
