import { Link } from 'wouter';
import { feed } from '../feed/shared-feed';
import { visible } from '../text/visible';
import { useStore } from '../ui/store';
import css from './operate.module.css';

/** The way to a chat: its title if the list of chats has it, else its id. */
export function ChatPlace({ id, interactionId }: { id: string; interactionId?: string }) {
  const title = useStore(feed, ({ chats }) => chats.find((chat) => chat.id === id)?.title);
  return (
    <Link
      className={title ? undefined : css['id']}
      href={`/chats/${id}${interactionId ? `#${interactionId}` : ''}`}
      title={id}
    >
      {visible(title ?? id)}
    </Link>
  );
}
