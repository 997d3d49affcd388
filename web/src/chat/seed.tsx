import type { Chat } from 'parley/client';
import { memo } from 'react';
import { Markdown } from '../markdown/markdown';
import { text } from '../strings/chat';
import { visible } from '../text/visible';
import css from './turn-view.module.css';

type Message = Chat['messages'][number];

/** A message of the conversation that the chat was created with. */
export const SeedMessage = memo(({ message }: { message: Message }) => {
  const content = message.content ?? '';
  if (content === '') return null;
  if (message.role === 'user')
    return (
      <div className={css['seedAsked']}>
        <div className={css['bubble']}>{visible(content)}</div>
      </div>
    );
  if (message.role === 'assistant')
    return (
      <div className={css['seedAnswered']}>
        <Markdown source={content} />
      </div>
    );
  return (
    <details className={css['seedAnswered']}>
      <summary className={css['cut']}>{text.seedOf(visible(message.role))}</summary>
      <pre className={css['seed']}>{visible(content)}</pre>
    </details>
  );
});
