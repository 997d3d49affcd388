import { useRef, useState } from 'react';
import { useCard } from '../keys/cards';
import { client } from '../session/client';
import { requestText as text } from '../strings/requests';
import { layOutJson } from '../text/json';
import { visible } from '../text/visible';
import { Button } from '../ui/button';
import { Fault } from '../ui/fault';
import { useKeptText } from '../ui/kept-text';
import { Whole } from './action-view';
import { useChatOf } from './request';
import type { CardRequest } from './request';
import { TimeLeft } from './time-left';
import { useSettling } from './use-settling';
import css from './requests.module.css';

/** A call of a tool that a program outside runs; a person can stand in for that program. */
export function ClientToolCard({ request }: { request: CardRequest }) {
  const chatId = useChatOf(request);
  const [output, setOutput] = useKeptText(`result ${request.id}`);
  const [isError, setError] = useState(false);
  const { isBusy, error, settle } = useSettling();
  const field = useRef<HTMLTextAreaElement>(null);
  const card = useCard({ edit: () => field.current?.focus() });
  const { tool_name = '', tool_input = '', tool_call_id = '' } = request;
  return (
    <section
      ref={card}
      className={css['card']}
      data-testid="client-tool-card"
      data-request={request.id}
      role="group"
      tabIndex={-1}
      aria-label={text.clientTool}
    >
      <header>
        <b>{visible(tool_name)}</b>
        <span className={css['risk']}>{text.clientTool}</span>
        <TimeLeft expires_at={request.expires_at} />
      </header>
      <Whole label={text.input}>{layOutJson(tool_input)}</Whole>
      <p className={css['why']}>{text.clientToolHint}</p>
      {error !== undefined && <Fault error={error} />}
      <form
        className={css['result']}
        onSubmit={(event) => {
          event.preventDefault();
          void settle(() =>
            client.requests.toolResult(chatId, request.interaction_id, {
              ...{ tool_call_id, tool_output: output, is_error: isError },
            }),
          );
        }}
      >
        <textarea
          ref={field}
          className={css['answer']}
          aria-label={text.result}
          placeholder={text.result}
          rows={2}
          value={output}
          onChange={({ target }) => setOutput(target.value)}
        />
        <div className={css['actions']}>
          <Button type="submit" disabled={isBusy}>
            {text.giveResult}
          </Button>
          <label className={css['check']}>
            <input
              type="checkbox"
              checked={isError}
              onChange={({ target }) => setError(target.checked)}
            />
            {text.isError}
          </label>
        </div>
      </form>
    </section>
  );
}
