import { useState } from 'react';
import { emptyText as text } from '../strings/chat';
import { SidebarButton } from './chat-header';
import { Composer } from './composer/composer';
import css from './new-chat-page.module.css';

/** The page that one begins from: three prompts show what this server is about, without a key. */
export function NewChatPage() {
  const [prefill, setPrefill] = useState<{ readonly text: string }>();
  return (
    <div className={css['page']}>
      <div className={css['top']}>
        <SidebarButton />
      </div>
      <div className={css['middle']}>
        <h1>{text.title}</h1>
        <Composer
          chatId={null}
          active={undefined}
          settings={{}}
          {...(prefill !== undefined && { prefill })}
        />
        <ul className={css['examples']}>
          {text.examples.map(({ title, hint, prompt }) => (
            <li key={title}>
              <button type="button" onClick={() => setPrefill({ text: prompt })}>
                <b>{title}</b>
                <span>{hint}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
