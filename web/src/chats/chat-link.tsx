import { Link } from 'wouter';
import type { ChatRow } from '../feed/feed-state';
import { text } from '../strings/chat';
import { statusWords } from '../strings/status';
import { visible } from '../text/visible';
import { Status } from '../ui/status';
import { sheetIsOpen } from '../ui/layout';
import { ChatMenu } from './chat-menu';
import css from './sidebar.module.css';

export function ChatLink({ chat, isOpen }: { chat: ChatRow; isOpen: boolean }) {
  const { id, status } = chat;
  const title = visible(chat.title ?? text.untitled);
  // Chats that are done need no word in a list.
  const isNews = status !== null && status !== 'COMPLETED' && status !== 'CANCELLED';
  return (
    <div className={css['row']} data-open={isOpen}>
      <Link
        href={`/chats/${id}`}
        aria-current={isOpen ? 'page' : undefined}
        title={status === null ? title : `${title}: ${statusWords[status]}`}
        onClick={() => sheetIsOpen.set(false)}
      >
        <span className={css['title']}>{title}</span>
        {isNews && <Status status={status} isShort />}
      </Link>
      <ChatMenu chat={chat} />
    </div>
  );
}
