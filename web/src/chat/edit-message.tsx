import { useState } from 'react';
import { client } from '../session/client';
import { text } from '../strings/chat';
import { common } from '../strings/common';
import { Button } from '../ui/button';
import { Fault } from '../ui/fault';
import { useKeptText } from '../ui/kept-text';
import { isActive } from './turns';
import type { Turn } from './turns';
import { useShownChat } from './use-chat';
import css from './edit-message.module.css';

/** Changes a message and goes on from there; what it had led to stays on its own branch. */
export function EditMessage({ turn, onDone }: { turn: Turn; onDone: () => void }) {
  const chat = useShownChat();
  const [message, setMessage] = useKeptText(`edit ${turn.id}`, turn.user_message);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const canSend = !isBusy && message.trim() !== '';
  const close = (): void => {
    setMessage(turn.user_message);
    onDone();
  };
  const send = async (): Promise<void> => {
    if (!canSend) return;
    setBusy(true);
    setError(undefined);
    try {
      const active = chat.view.get().conversation?.chat?.active_interaction_id != null;
      const isBusyChat = active || isActive(turn.status);
      await client.request('POST', '/chats/{chat_id}/interactions/{interaction_id}/edit', {
        path: { chat_id: chat.id, interaction_id: turn.id },
        body: {
          new_user_message: message,
          on_disconnect: 'continue',
          ...(isBusyChat && { on_conflict: 'interrupt' }),
        },
        headers: { accept: 'application/json' },
      });
      close();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return (
    <form
      className={css['edit']}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        aria-label={text.editMessage}
        autoFocus
        value={message}
        onChange={({ target }) => setMessage(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close();
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          void send();
        }}
      />
      <p>{text.editHint}</p>
      {error !== undefined && <Fault error={error} />}
      <div>
        <Button look="plain" onClick={close}>
          {common.cancel}
        </Button>
        <Button look="primary" type="submit" disabled={!canSend}>
          {text.sendEdit}
        </Button>
      </div>
    </form>
  );
}
