import { ChevronLeft, ChevronRight, Link2, Paperclip, Pencil } from 'lucide-react';
import { memo } from 'react';
import type { RefCallback } from 'react';
import { hasAudio } from '../audio/available';
import { ListenButton } from '../audio/listen-button';
import { isPicture, pictureOf } from '../pictures/picture';
import { Thumbnail } from '../pictures/thumbnail';
import { client } from '../session/client';
import { text } from '../strings/chat';
import { visible } from '../text/visible';
import { IconButton } from '../ui/button';
import { copyText, CopyButton } from '../ui/copy-button';
import { Fault } from '../ui/fault';
import { useAction } from '../ui/use-action';
import { EditMessage } from './edit-message';
import { AgentItems } from './items/agent-items';
import type { ChatView } from './open-chat';
import { linkTo, useTargetIn } from './target';
import { isActive, newestEndOf, siblingsOf } from './turns';
import type { Turn } from './turns';
import { UsageMark } from './usage-mark';
import { useShownChat } from './use-chat';
import css from './turn-view.module.css';

interface TurnViewProps {
  readonly turn: Turn;
  readonly view: ChatView;
  readonly isEditing: boolean;
  readonly onEdit: (id: string | null) => void;
  /** Keeps the conversation at its end while the element grows. */
  readonly watch: RefCallback<Element>;
}

/** A message and what answers it. */
export const TurnView = memo(
  ({ turn, view, isEditing, onEdit, watch }: TurnViewProps) => {
    const target = useTargetIn(turn.id);
    // The first record is the message.
    const isTarget = target !== null && (target.seq ?? 1) === 1;
    const isRunning = isActive(turn.status);
    return (
      <article ref={watch} className={css['turn']} aria-current={isTarget || undefined}>
        <div className={css['asked']} data-testid="message-user">
          {isEditing ? (
            <EditMessage turn={turn} onDone={() => onEdit(null)} />
          ) : (
            <>
              <div className={css['bubble']}>
                {visible(turn.user_message)}
                <Attached files={turn.files} />
              </div>
              <div className={css['tools']}>
                <Branches turn={turn} view={view} />
                <IconButton
                  label={text.editMessage}
                  data-testid="edit-message"
                  onClick={() => onEdit(turn.id)}
                >
                  <Pencil size={14} aria-hidden />
                </IconButton>
                <CopyButton text={turn.user_message} />
                <IconButton
                  label={text.linkTo}
                  onClick={() => void copyText(linkTo(turn.id, null))}
                >
                  <Link2 size={14} aria-hidden />
                </IconButton>
              </div>
            </>
          )}
        </div>
        <div className={css['answered']} data-testid="message-agent" aria-busy={isRunning}>
          <AgentItems turn={turn} agentId={turn.agent_id} requests={view.conversation?.requests} />
          {turn.isCut && <p className={css['cut']}>{text.cut}</p>}
          {turn.error && !hasTold(turn) && <Fault error={new Error(turn.error.message)} />}
          {!isRunning && <Foot turn={turn} />}
        </div>
      </article>
    );
  },
  (a, b) =>
    a.turn === b.turn &&
    a.isEditing === b.isEditing &&
    a.onEdit === b.onEdit &&
    a.view.history === b.view.history &&
    a.view.conversation?.requests === b.view.conversation?.requests,
);

/** The error is one of the records that are shown. */
function hasTold({ records }: Turn): boolean {
  return records.some(({ type }) => type === 'ERROR');
}

function Attached({ files }: { files: Turn['files'] }) {
  const { error, run } = useAction();
  if (files.length === 0) return null;
  return (
    <ul className={css['files']}>
      {files.map((file) => (
        <li key={file.id}>
          {isPicture(file.mime_type, file.size_bytes) ? (
            <Thumbnail picture={pictureOf(file)} />
          ) : (
            <button type="button" onClick={() => run(() => open(file.id))}>
              <Paperclip size={13} aria-hidden /> {visible(file.filename)}
            </button>
          )}
        </li>
      ))}
      {error !== undefined && <Fault error={error} />}
    </ul>
  );
}

async function open(id: string): Promise<void> {
  const { url } = await client.files.url(id);
  window.open(new URL(url, document.baseURI), '_blank', 'noopener');
}

/** Switches between the versions of an edited message, each with what followed it. */
function Branches({ turn, view }: { turn: Turn; view: ChatView }) {
  const chat = useShownChat();
  const { error, run } = useAction();
  const ids = siblingsOf(view, turn);
  if (ids.length < 2) return null;
  const at = ids.indexOf(turn.id);
  const go = async (id: string): Promise<void> => {
    await client.chats.update(chat.id, { head_interaction_id: newestEndOf(view, id) });
    await chat.refresh();
  };
  return (
    <span className={css['branches']} data-testid="branch-switch">
      <IconButton
        label={text.earlierVersion}
        disabled={at === 0}
        onClick={() => run(() => go(ids[at - 1]!))}
      >
        <ChevronLeft size={14} aria-hidden />
      </IconButton>
      <span title={text.branch(at + 1, ids.length)}>
        {at + 1}/{ids.length}
      </span>
      <IconButton
        label={text.laterVersion}
        disabled={at === ids.length - 1}
        onClick={() => run(() => go(ids[at + 1]!))}
      >
        <ChevronRight size={14} aria-hidden />
      </IconButton>
      {error !== undefined && <Fault error={error} />}
    </span>
  );
}

function Foot({ turn }: { turn: Turn }) {
  const chat = useShownChat();
  const answer = turn.records.findLast(({ type }) => type === 'ANSWER');
  return (
    <div className={css['foot']}>
      {answer?.type === 'ANSWER' && <CopyButton text={answer.content} />}
      {answer && hasAudio && <ListenButton chatId={chat.id} id={turn.id} />}
      <span>{visible(turn.model)}</span>
      <UsageMark usage={turn.usage} />
    </div>
  );
}
