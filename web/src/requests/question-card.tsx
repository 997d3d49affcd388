import { useRef } from 'react';
import { useCard } from '../keys/cards';
import { client } from '../session/client';
import { requestText as text } from '../strings/requests';
import { visible } from '../text/visible';
import { Button } from '../ui/button';
import { Fault } from '../ui/fault';
import { useKeptText } from '../ui/kept-text';
import { useChatOf } from './request';
import type { CardRequest } from './request';
import { Settled } from './settled';
import { TimeLeft } from './time-left';
import { useSettling } from './use-settling';
import css from './requests.module.css';

/** A question of an agent, with its options, or an answer in one's own words. */
export function QuestionCard({ request }: { request: CardRequest }) {
  const isPending = request.status === 'pending';
  return isPending ? <Pending request={request} /> : <Answered request={request} />;
}

function Answered({ request }: { request: CardRequest }) {
  return (
    <section className={css['card']} data-testid="question-card" data-pending={false}>
      <p className={css['question']}>{visible(request.question ?? '')}</p>
      <Settled request={request} />
    </section>
  );
}

function Pending({ request }: { request: CardRequest }) {
  const chatId = useChatOf(request);
  const [answer, setAnswer] = useKeptText(`answer ${request.id}`);
  const { isBusy, error, settle } = useSettling();
  const respond = (value: string | null): Promise<void> =>
    settle(() =>
      client.requests.respond(chatId, request.interaction_id, {
        request_id: request.id,
        answer: value,
      }),
    );
  const field = useRef<HTMLTextAreaElement>(null);
  const card = useCard({ edit: () => field.current?.focus() });
  const options = request.options ?? [];
  const submit = (): void => {
    if (answer.trim() !== '' && !isBusy) void respond(answer);
  };
  return (
    <section
      ref={card}
      className={css['card']}
      data-testid="question-card"
      data-request={request.id}
      data-pending
      role="group"
      tabIndex={-1}
      aria-label={text.question}
    >
      <header>
        <p className={css['question']}>{visible(request.question ?? '')}</p>
        <TimeLeft expires_at={request.expires_at} />
      </header>
      {options.length > 0 && (
        <div className={css['actions']}>
          {options.map((option) => (
            <Button
              key={option}
              data-testid="option"
              disabled={isBusy}
              onClick={() => void respond(option)}
            >
              {visible(option)}
            </Button>
          ))}
        </div>
      )}
      {error !== undefined && <Fault error={error} />}
      <form
        className={css['fields']}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <textarea
          ref={field}
          className={css['answer']}
          data-testid="answer"
          aria-label={text.answer}
          placeholder={text.answerPlaceholder}
          rows={1}
          value={answer}
          onChange={({ target }) => setAnswer(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            submit();
          }}
        />
        <Button look="primary" type="submit" disabled={isBusy || answer.trim() === ''}>
          {text.answer}
        </Button>
        <Button
          look="plain"
          data-testid="decline"
          disabled={isBusy}
          onClick={() => void respond(null)}
        >
          {text.decline}
        </Button>
      </form>
    </section>
  );
}
