import type { RecordEvent } from 'parley/client';
import { useState } from 'react';
import { linkTo } from '../chat/target';
import { client } from '../session/client';
import { agentText as text } from '../strings/agents';
import { common } from '../strings/common';
import { visible } from '../text/visible';
import { Button } from '../ui/button';
import { Dialog, DialogActions } from '../ui/dialog';
import { Fault } from '../ui/fault';
import { useKeptText } from '../ui/kept-text';
import { Mark } from '../ui/status';
import { useStore } from '../ui/store';
import ui from '../ui/ui.module.css';
import { readAt, receipts } from './receipts';
import type { Receipt } from './receipts';
import css from './agents.module.css';

const KINDS = ['note', 'modify', 'delete'] as const;
type Kind = (typeof KINDS)[number];

interface InterveneProps {
  readonly agentId: string;
  readonly hasEnded: boolean;
  readonly onDone?: () => void;
}

/**
 * Tells an agent something while it works: a note, another task, or to stop. Text that was not sent
 * before the agent ended stays to be copied.
 */
export function Intervene({ agentId, hasEnded, onDone }: InterveneProps) {
  const [kind, setKind] = useState<Kind>('note');
  const [message, setMessage] = useKeptText(`intervention ${agentId}`);
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const said = message.trim();
  const send = async (): Promise<void> => {
    setAsking(false);
    setBusy(true);
    setError(undefined);
    try {
      const { intervention_id } = await client.agents.intervene(agentId, bodyOf(kind, said));
      const receipt = { intervention_id, agent_id: agentId, kind, text: said };
      receipts.set([...receipts.get(), receipt]);
      setMessage('');
      onDone?.();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  const submit = (): void => {
    if (hasEnded || isBusy) return;
    if (kind === 'delete') setAsking(true);
    else if (said !== '') void send();
  };
  if (hasEnded && said === '') return onDone ? null : <p>{text.ended}</p>;
  return (
    <form
      className={css['intervene']}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className={css['kinds']} role="radiogroup" aria-label={text.steer}>
        {KINDS.map((each) => (
          <label key={each}>
            <input
              type="radio"
              name={`kind ${agentId}`}
              checked={kind === each}
              onChange={() => setKind(each)}
            />
            {text.kinds[each]}
          </label>
        ))}
      </div>
      <textarea
        className={ui['field']}
        aria-label={labelOf(kind)}
        placeholder={labelOf(kind)}
        autoFocus={onDone !== undefined}
        rows={2}
        maxLength={8192}
        value={message}
        onChange={({ target }) => setMessage(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && onDone) {
            event.preventDefault();
            onDone();
          }
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          submit();
        }}
      />
      {error !== undefined && <Fault error={error} />}
      <div className={css['send']}>
        <span>{hasEnded ? text.ended : text.hints[kind]}</span>
        <Button
          look={kind === 'delete' ? 'danger' : 'primary'}
          type="submit"
          disabled={hasEnded || isBusy || (kind !== 'delete' && said === '')}
        >
          {text.send[kind]}
        </Button>
      </div>
      <Dialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={text.confirmTitle}
        description={text.confirmHint}
      >
        <DialogActions>
          <Button look="plain" onClick={() => setAsking(false)}>
            {common.cancel}
          </Button>
          <Button look="danger" onClick={() => void send()}>
            {text.send.delete}
          </Button>
        </DialogActions>
      </Dialog>
    </form>
  );
}

function bodyOf(kind: Kind, said: string) {
  if (kind === 'modify') return { user_comment: 'modify', user_content: said };
  if (kind === 'delete')
    return { user_comment: 'delete', ...(said !== '' && { user_content: said }) };
  // `delete` and `modify` alone are commands of the server.
  return { user_comment: /^(?:delete|modify)$/.test(said) ? `${said}.` : said };
}

function labelOf(kind: Kind): string {
  return { note: text.message, modify: text.task, delete: text.reason }[kind];
}

interface ReceiptsProps {
  readonly agentId: string;
  readonly hasEnded: boolean;
  readonly interactionId: string;
  readonly records: readonly RecordEvent[];
}

/** Interventions that were sent from here, and if the agent has read them. */
export function Receipts({ agentId, hasEnded, interactionId, records }: ReceiptsProps) {
  const told = useStore(receipts).filter(({ agent_id }) => agent_id === agentId);
  if (told.length === 0) return null;
  return (
    <ul className={css['receipts']} aria-live="polite">
      {told.map((receipt) => (
        <li key={receipt.intervention_id}>
          <span>{visible(labelledText(receipt))}</span>
          <Outcome at={readAt(receipt, records, hasEnded)} interactionId={interactionId} />
        </li>
      ))}
    </ul>
  );
}

function Outcome({ at, interactionId }: { at: number | null | undefined; interactionId: string }) {
  if (at === undefined) return <Mark tone="wait">{text.accepted}</Mark>;
  if (at === null) return <Mark tone="idle">{text.tooLate}</Mark>;
  return (
    <Mark tone="good">
      <a href={linkTo(interactionId, at)}>{text.read(at)}</a>
    </Mark>
  );
}

function labelledText({ kind, text: said }: Receipt): string {
  if (kind === 'note') return said;
  return said === '' ? text.kinds[kind] : `${text.kinds[kind]}: ${said}`;
}
