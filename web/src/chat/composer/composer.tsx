import { ArrowUp, ListPlus, Paperclip, Square } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import type { ClipboardEvent, DragEvent, KeyboardEvent } from 'react';
import type { Chat } from 'parley/client';
import { canRecord } from '../../audio/available';
import { DictateButton } from '../../audio/dictate-button';
import { TalkButton, TalkLine } from '../../audio/talk';
import { useKeys } from '../../keys/registry';
import { composerText as text } from '../../strings/chat';
import { keyText } from '../../strings/keys';
import { IconButton } from '../../ui/button';
import { Fault } from '../../ui/fault';
import type { Turn } from '../turns';
import { useShownChatOrNone } from '../use-chat';
import { AttachmentList } from './attachment-list';
import { useAttachments } from './attachments';
import { keepDraft, keptDraft, useDraft } from './draft';
import { Notes } from './notes';
import { Options } from './options';
import { useSending } from './sending';
import css from './composer.module.css';

/** A longer paste becomes a file, in UTF-16 code units. */
const LONG_PASTE = 4000;
const MODIFIER = /Mac|iP/.test(navigator.platform) ? '⌘' : 'Ctrl';

interface ComposerProps {
  /** Null: the first message makes the chat. */
  readonly chatId: string | null;
  /** The turn that runs or waits. */
  readonly active: Turn | undefined;
  readonly settings: Chat['settings'];
  /** An example that was chosen: it takes the place of another one, and follows typed text. */
  readonly prefill?: { readonly text: string };
  readonly onEditLast?: () => void;
}

/** Where a person writes: it sends, or while an agent works tells it something or queues. */
export function Composer({ chatId, active, settings, prefill, onEditLast }: ComposerProps) {
  const draftName = chatId ?? 'new';
  const [draft, setDraft] = useDraft(draftName);
  const chat = useShownChatOrNone();
  const area = useRef<HTMLTextAreaElement>(null);
  const filled = useRef('');
  const attachments = useAttachments(chatId);
  const [isOver, setOver] = useState(false);
  const [unheard, setUnheard] = useState<unknown>();
  const sending = useSending({ chatId, active, attachments });
  const isEmpty = draft.trim() === '';
  const canSend = !isEmpty && !attachments.isBusy && !sending.isBusy;

  // Drawn with the click: a box that grows a moment later moves the examples under the next one.
  useLayoutEffect(() => {
    if (prefill === undefined) return;
    const { value = '' } = area.current ?? {};
    setDraft(joined(value === filled.current ? '' : value, prefill.text));
    filled.current = prefill.text;
    area.current?.focus();
  }, [prefill, setDraft]);

  const append = (heard: string): void => {
    setDraft(joined(area.current?.value ?? '', heard));
    area.current?.focus();
  };
  const submit = async (isLater: boolean): Promise<void> => {
    if (!canSend) return;
    const message = draft;
    setDraft('');
    const isSent = await sending.send(message, isLater);
    if (isSent) return chat?.sent.set(chat.sent.get() + 1);
    const unsent = joined(message, area.current?.value ?? keptDraft(draftName));
    setDraft(unsent);
    // The page that asks for another credential stands in place of this one already.
    keepDraft(draftName, unsent);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape' && active) void sending.stop();
    if (event.key === 'ArrowUp' && draft === '' && !active) onEditLast?.();
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    void submit(event.ctrlKey || event.metaKey);
  };
  const onPaste = (event: ClipboardEvent): void => {
    const files = [...event.clipboardData.files];
    const pasted = event.clipboardData.getData('text/plain');
    if (files.length === 0 && pasted.length <= LONG_PASTE) return;
    event.preventDefault();
    attachments.add(
      files.length > 0 ? files : [new File([pasted], 'pasted.txt', { type: 'text/plain' })],
    );
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    attachments.add(event.dataTransfer.files);
  };
  return (
    <div>
      {active ? <BusyKeys /> : <IdleKeys />}
      <TalkLine chatId={chatId} />
      <Notes notes={sending.notes} active={active} onSend={(note) => void sending.resend(note)} />
      {sending.error !== undefined && <Fault error={sending.error} />}
      {unheard !== undefined && <Fault error={unheard} />}
      <div
        className={css['composer']}
        data-over={isOver}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <AttachmentList attachments={attachments} />
        <textarea
          ref={area}
          data-testid="composer"
          aria-label={text.label}
          placeholder={isOver ? text.dropHere : active ? text.placeholderBusy : text.placeholder}
          rows={1}
          autoFocus
          value={draft}
          onChange={({ target }) => setDraft(target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <div className={css['bar']}>
          <AttachButton onFiles={attachments.add} />
          {canRecord && (
            <>
              <DictateButton onText={append} onError={setUnheard} />
              <TalkButton chatId={chatId} makeChat={sending.makeChat} />
            </>
          )}
          <Options chatId={chatId} settings={settings} />
          <span className={css['hint']}>{active ? text.hintBusy(MODIFIER) : text.hint}</span>
          {active && (
            <>
              <IconButton
                label={text.queue}
                keys={`${MODIFIER}+Enter`}
                disabled={!canSend}
                onClick={() => void submit(true)}
              >
                <ListPlus size={16} aria-hidden />
              </IconButton>
              <IconButton
                label={sending.isStopping ? text.stopping : text.stop}
                keys="Esc"
                data-testid="stop"
                disabled={sending.isStopping}
                onClick={() => void sending.stop()}
              >
                <Square size={14} fill="currentColor" aria-hidden />
              </IconButton>
            </>
          )}
          <button
            type="button"
            className={css['send']}
            data-testid="send"
            aria-label={active ? text.steer : text.send}
            disabled={!canSend}
            onClick={() => void submit(false)}
          >
            <ArrowUp size={18} aria-hidden />
          </button>
        </div>
      </div>
    </div>
  );
}

/** Lists the keys of the message, which it takes itself. */
function IdleKeys() {
  const group = keyText.groups.message;
  useKeys([
    { key: 'Enter', label: keyText.send, group },
    { key: 'Shift+Enter', label: keyText.newLine, group },
    { key: 'ArrowUp', label: keyText.editLast, group },
  ]);
  return null;
}

/** The same while an agent works. */
function BusyKeys() {
  const group = keyText.groups.message;
  useKeys([
    { key: 'Enter', label: keyText.steer, group },
    { key: 'mod+Enter', label: keyText.queue, group },
    { key: 'Shift+Enter', label: keyText.newLine, group },
    { key: 'Escape', label: keyText.stop, group },
  ]);
  return null;
}

function joined(...texts: readonly string[]): string {
  return texts.filter((each) => each.trim() !== '').join('\n\n');
}

function AttachButton({ onFiles }: { onFiles: (files: Iterable<File>) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton label={text.attach} data-testid="attach" onClick={() => input.current?.click()}>
        <Paperclip size={16} aria-hidden />
      </IconButton>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          onFiles(target.files ?? []);
          target.value = '';
        }}
      />
    </>
  );
}
