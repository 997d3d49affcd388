import { Maximize2 } from 'lucide-react';
import { Link } from 'wouter';
import { useShownChat } from '../chat/use-chat';
import { boardText as text } from '../strings/board';
import { Board } from './board';
import css from './board.module.css';

/** The board in the panel. */
export function BoardView() {
  const chat = useShownChat();
  return (
    <div className={css['view']}>
      <Board />
      <Link href={`/chats/${chat.id}/board`} className={css['wide']}>
        <Maximize2 size={14} aria-hidden />
        {text.wide}
      </Link>
    </div>
  );
}
