import { useEffect } from 'react';
import { feed } from '../feed/shared-feed';
import { client } from '../session/client';
import { Store, useStore } from '../ui/store';

/** Titles of chats that the feed does not list: it has the newest 50. */
const titles = new Store<Readonly<Record<string, string | null>>>({});

/** The title of a chat; undefined while it is not known. */
export function useChatTitle(id: string): string | null | undefined {
  const listed = useStore(feed, ({ chats }) => chats.find((chat) => chat.id === id)?.title);
  const asked = useStore(titles, (all) => all[id]);
  const isListed = listed !== undefined;
  useEffect(() => {
    if (isListed || id in titles.get()) return;
    titles.set({ ...titles.get(), [id]: null });
    client.chats.get(id, { limit: 1 }).then(
      ({ title }) => titles.set({ ...titles.get(), [id]: title }),
      () => undefined,
    );
  }, [id, isListed]);
  return isListed ? listed : asked;
}
