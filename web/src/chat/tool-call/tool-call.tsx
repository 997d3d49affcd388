import { ChevronRight } from 'lucide-react';
import type { RecordOf, RequestState } from 'parley/client';
import { use, useState } from 'react';
import type { ReactNode } from 'react';
import { picturesOf } from '../../pictures/picture';
import { Thumbnail } from '../../pictures/thumbnail';
import { useShowTab } from '../../panel/panel-tab';
import { IsPast } from '../../records/use-shown';
import { ApprovalCard } from '../../requests/approval-card';
import { ClientToolCard } from '../../requests/client-tool-card';
import { PastCard } from '../../requests/past-card';
import { QuestionCard } from '../../requests/question-card';
import { Settled } from '../../requests/settled';
import { text as chatText } from '../../strings/chat';
import { callText as text } from '../../strings/tool-call';
import { visible } from '../../text/visible';
import { Mark } from '../../ui/status';
import { useNow } from '../../ui/use-now';
import { useShownChat } from '../use-chat';
import type { CallItem } from '../items/items';
import { DiffView } from './diff-view';
import { Output } from './output';
import { stateOf, TONES } from './call-state';
import { diffIn, headline, inputText } from './summary';
import pictures from '../../pictures/pictures.module.css';
import css from './tool-call.module.css';

interface ToolCallProps {
  readonly item: CallItem;
  /** Its turn has not ended. */
  readonly isActive: boolean;
  /** An agent that it has started asks a person. */
  readonly waitsForPerson: boolean;
  /** Draws an agent that the call has started. */
  readonly renderAgent: (id: string) => ReactNode;
}

/** Shows a call of a tool: a line that says what it is about, and more on request. */
export function ToolCall({ item, isActive, waitsForPerson, renderAgent }: ToolCallProps) {
  const { call, request, result, output, agents } = item;
  const known = stateOf(item, isActive);
  const state = known === 'running' && waitsForPerson ? 'waiting' : known;
  const [isShown, setShown] = useState<boolean>();
  // A running call shows its output; one that has ended is folded, but for failures and what a
  // person sees at a glance.
  const diff = diffIn(result);
  const isSeen = diff !== undefined || result?.images !== undefined;
  const shows = isShown ?? (state === 'running' || state === 'failed' || isSeen);
  const isPast = use(IsPast);
  if (request?.status === 'pending')
    return isPast ? <PastCard request={request} /> : <RequestCard request={request} />;
  return (
    <section className={css['call']} data-testid="tool-call" data-state={state}>
      <button type="button" aria-expanded={shows} onClick={() => setShown(!shows)}>
        <ChevronRight size={14} aria-hidden />
        <b>{call ? visible(call.tool_name) : chatText.preparing}</b>
        <code>{visible(headline(item))}</code>
        <Elapsed item={item} isRunning={state === 'running'} />
        <Mark tone={TONES[state]}>{text.states[state]}</Mark>
      </button>
      {request?.status === 'settled' && <Settled request={request} />}
      {agents.map(renderAgent)}
      {call?.tool_name === 'todo' && state === 'done' && <BoardLink />}
      {shows && (
        <div className={css['body']}>
          {diff !== undefined && <DiffView diff={diff} />}
          <details open={state === 'writing' || undefined}>
            <summary>{text.input}</summary>
            <pre className={css['input']}>{visible(inputText(item))}</pre>
          </details>
          {(result ?? output) !== null && (
            <Output
              text={result?.tool_output ?? output ?? ''}
              isOpen={result === null}
              isError={result?.is_error ?? false}
            />
          )}
          {result?.images && <ResultPictures result={result} />}
          {result?.truncated && <p className={css['note']}>{text.truncated}</p>}
        </div>
      )}
    </section>
  );
}

/** The board is where the tasks are moved on. */
function BoardLink() {
  const show = useShowTab();
  return (
    <a
      className={css['board']}
      href="?panel=tasks"
      onClick={(event) => {
        event.preventDefault();
        show('tasks');
      }}
    >
      {text.onBoard}
    </a>
  );
}

function ResultPictures({ result }: { result: RecordOf<'TOOL_RESULT'> }) {
  const { id } = useShownChat();
  return (
    <ul className={pictures['thumbnails']}>
      {picturesOf(id, result).map((picture) => (
        <li key={picture.name}>
          <Thumbnail picture={picture} />
        </li>
      ))}
    </ul>
  );
}

function RequestCard({ request }: { request: RequestState }) {
  switch (request.kind) {
    case 'approval':
      return <ApprovalCard request={request} />;
    case 'input':
      return <QuestionCard request={request} />;
    case 'tool':
      return <ClientToolCard request={request} />;
  }
}

function Elapsed({ item, isRunning }: { item: CallItem; isRunning: boolean }) {
  const now = useNow(isRunning ? 1000 : null);
  const isPast = use(IsPast);
  const { result, startedAt } = item;
  if (result) return <small>{text.ms(result.duration_ms)}</small>;
  if (!isRunning || startedAt === null || isPast) return null;
  return <small>{text.seconds(Math.round((now - Date.parse(startedAt)) / 1000))}</small>;
}
