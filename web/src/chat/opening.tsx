import { text } from '../strings/chat';
import { common } from '../strings/common';
import { Button } from '../ui/button';
import type { ChatView } from './open-chat';
import type { Turn } from './turns';
import { useShownChat } from './use-chat';
import css from './chat-page.module.css';

/** Stands where a chat will be, until the server has told what is in it. */
export function Opening({ view: { retryAt } }: { view: ChatView }) {
  const chat = useShownChat();
  if (retryAt === null) return <p className={css['opening']}>{common.loading}</p>;
  return (
    <div className={css['gone']} role="status" data-testid="no-answer">
      <h2>{text.noAnswer}</h2>
      <p>{text.noAnswerHint}</p>
      <div>
        <Button onClick={() => chat.reopen()}>{common.retry}</Button>
      </div>
    </div>
  );
}

export function isOpening({ nextBefore }: ChatView, turns: readonly Turn[]): boolean {
  return nextBefore === undefined && turns.length === 0;
}
