import { useEffect, useRef, useState } from 'react';
import { useCard } from '../keys/cards';
import { client } from '../session/client';
import { requestText as text } from '../strings/requests';
import { parseObject } from '../text/json';
import { visible } from '../text/visible';
import { Button } from '../ui/button';
import { Fault } from '../ui/fault';
import { forgetText, keptText, useKeptText } from '../ui/kept-text';
import ui from '../ui/ui.module.css';
import { ActionView } from './action-view';
import { EditInput } from './edit-input/edit-input';
import { inputName, readEdited } from './edit-input/edited';
import type { Edited } from './edit-input/edited';
import { fieldFaults } from './edit-input/server-faults';
import { useSchemaOf } from './edit-input/tool-schemas';
import { RememberChoice } from './remember-choice';
import type { RememberScope } from './remember-choice';
import { useChatOf } from './request';
import type { CardRequest } from './request';
import { RulePreview } from './rule-preview';
import { TimeLeft } from './time-left';
import { useSettling } from './use-settling';
import { Why } from './why';
import css from './requests.module.css';

/** A call that a person decides on: the whole of what would run, and why it is asked about. */
export function ApprovalCard({ request }: { request: CardRequest }) {
  const { tool_name = '', risk = 'high', reason: why = '' } = request;
  const chatId = useChatOf(request);
  const schema = useSchemaOf(tool_name);
  const [reason, setReason] = useKeptText(`reason ${request.id}`);
  const [scope, setScope] = useState<RememberScope | null>(null);
  const [edited, setEdited] = useState<Edited | null>(() => {
    const kept = keptText(inputName(request));
    return kept === undefined ? null : readEdited(kept);
  });
  const { isBusy, error, settle } = useSettling();
  const reasonField = useRef<HTMLInputElement>(null);
  const isUnreadable = edited?.input === null;
  const changed = changedInput(request, edited);
  const decide = (approved: boolean): Promise<void> =>
    settle(() =>
      client.requests.approve(chatId, request.interaction_id, {
        approval_id: request.id,
        approved,
        ...(reason.trim() !== '' && { reason: reason.trim() }),
        ...(scope && { remember: scope }),
        ...(approved && changed && { modified_input: changed }),
      }),
    );
  const toggleEdit = (): void => {
    forgetText(inputName(request));
    setEdited(edited ? null : readEdited(request.tool_input ?? ''));
  };
  const actions = useRef<HTMLDivElement>(null);
  const isEditing = edited !== null && schema !== undefined;
  // The buttons below the fields come into sight with them.
  useEffect(() => {
    if (isEditing) actions.current?.scrollIntoView({ block: 'nearest' });
  }, [isEditing]);
  const card = useCard({
    isDecided: isBusy,
    approve: () => !isBusy && !isUnreadable && void decide(true),
    reject: () => reasonField.current?.focus(),
    edit: toggleEdit,
  });
  const faults = fieldFaults(error);
  return (
    <section
      ref={card}
      className={css['card']}
      data-testid="approval-card"
      data-request={request.id}
      role="group"
      tabIndex={-1}
      aria-label={visible(`${text.approve}: ${tool_name}`)}
      onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.focus()}
    >
      <header>
        <b>{visible(tool_name)}</b>
        <span className={css['risk']} data-risk={risk}>
          {text.risks[risk] ?? visible(risk)}
        </span>
        <TimeLeft expires_at={request.expires_at} />
      </header>
      <ActionView request={request} />
      <Why text={why} />
      {edited && schema !== undefined && (
        <EditInput request={request} schema={schema} faults={faults} onChange={setEdited} />
      )}
      {error !== undefined && Object.keys(faults).length === 0 && <Fault error={error} />}
      <div className={css['fields']}>
        <input
          ref={reasonField}
          className={ui['field']}
          data-testid="reason"
          aria-label={text.reason}
          placeholder={text.reason}
          maxLength={10_000}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.nativeEvent.isComposing && !isBusy)
              void decide(false);
          }}
        />
        <RememberChoice scope={scope} onChange={setScope} />
      </div>
      {scope && (
        <RulePreview request={request} scope={scope} input={isUnreadable ? null : changed} />
      )}
      <div className={css['actions']} ref={actions}>
        <Button
          look="primary"
          data-testid="approve"
          aria-keyshortcuts="a"
          disabled={isBusy || isUnreadable}
          onClick={() => void decide(true)}
        >
          {changed ? text.approveEdited : text.approve}
          <kbd aria-hidden>A</kbd>
        </Button>
        <Button
          data-testid="reject"
          aria-keyshortcuts="r"
          disabled={isBusy}
          onClick={() => void decide(false)}
        >
          {text.reject}
          <kbd aria-hidden>R</kbd>
        </Button>
        <Button
          look="plain"
          data-testid="edit-input"
          aria-keyshortcuts="e"
          aria-expanded={edited !== null}
          disabled={isBusy}
          onClick={toggleEdit}
        >
          {edited ? text.editNot : text.edit}
          <kbd aria-hidden>E</kbd>
        </Button>
      </div>
    </section>
  );
}

/** Undefined for one that says what the model wrote: that is what runs then, to the letter. */
function changedInput(
  { tool_input = '' }: CardRequest,
  edited: Edited | null,
): Readonly<Record<string, unknown>> | undefined {
  if (!edited?.input) return undefined;
  const isSame = JSON.stringify(edited.input) === JSON.stringify(parseObject(tool_input));
  return isSame ? undefined : edited.input;
}
