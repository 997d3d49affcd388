import { ArrowLeft } from 'lucide-react';
import { Link } from 'wouter';
import { ChatHeader } from '../chat/chat-header';
import { Opening } from '../chat/opening';
import { OpenChatContext, useOpenChat } from '../chat/use-chat';
import { boardText as text } from '../strings/board';
import { useStore } from '../ui/store';
import { Fault } from '../ui/fault';
import { Board } from './board';
import css from './board.module.css';

/** The board of a chat as a page of its own, with its columns beside each other. */
export function BoardPage({ id }: { id: string }) {
  const chat = useOpenChat(id);
  const view = useStore(chat.view);
  return (
    <OpenChatContext value={chat}>
      <ChatHeader view={view} hasPanel={false} />
      <div className={css['page']}>
        <Link href={`/chats/${id}`} className={css['wide']}>
          <ArrowLeft size={14} aria-hidden />
          {text.back}
        </Link>
        {view.fault ? (
          <Fault error={view.fault} onRetry={() => chat.reopen()} />
        ) : view.conversation ? (
          <Board />
        ) : (
          <Opening view={view} />
        )}
      </div>
    </OpenChatContext>
  );
}
