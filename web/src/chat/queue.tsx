import { ChevronDown, ChevronUp, Pencil, X } from 'lucide-react';
import type { Interaction } from 'parley/client';
import { useEffect, useState } from 'react';
import { isPicture, pictureOf } from '../pictures/picture';
import { Thumbnail } from '../pictures/thumbnail';
import { client } from '../session/client';
import { queueText as text } from '../strings/chat';
import { common } from '../strings/common';
import { visible } from '../text/visible';
import { Button, IconButton } from '../ui/button';
import { Fault } from '../ui/fault';
import type { OpenChat } from './open-chat';
import css from './queue.module.css';

/** Messages that wait for the chat, in order. They are on the server: every device shows them. */
export function Queue({ chat, queued }: { chat: OpenChat; queued: readonly string[] }) {
  const [items, setItems] = useState<readonly Interaction[]>([]);
  const [error, setError] = useState<unknown>();
  const [editing, setEditing] = useState<Interaction>();
  // Each change of the queue is told with the list of its ids, which is another object then.
  useEffect(() => {
    if (queued.length === 0) return;
    const stop = new AbortController();
    client.interactions.queue(chat.id, { signal: stop.signal }).then(
      (queue) => setItems(queue.items),
      (thrown: unknown) => !stop.signal.aborted && setError(thrown),
    );
    return () => stop.abort();
  }, [chat, queued]);
  const shown = items.filter(({ id }) => queued.includes(id));
  // A changed text stays in sight when its message has begun meanwhile: nothing is lost.
  const hasBegun = editing !== undefined && !shown.some(({ id }) => id === editing.id);
  const isShown = shown.length > 0 || hasBegun || (queued.length > 0 && error !== undefined);
  if (!isShown) return null;
  const act = async (action: Promise<unknown>): Promise<boolean> => {
    try {
      await action;
      setError(undefined);
      return true;
    } catch (thrown) {
      setError(thrown);
      return false;
    }
  };
  const save = async ({ id }: Interaction, user_message: string): Promise<void> => {
    if (await act(client.interactions.change(chat.id, id, { user_message }))) stopEditing();
  };
  const stopEditing = (): void => {
    setEditing(undefined);
    setError(undefined);
  };
  const move = (item: Interaction, by: -1 | 1): void => {
    const index = shown.indexOf(item);
    const before = shown[by < 0 ? index - 1 : index + 2]?.id ?? null;
    void act(client.interactions.change(chat.id, item.id, { before }));
  };
  return (
    <section className={css['queue']} aria-label={text.title}>
      <header>
        <h2>{text.title}</h2>
        {shown.length > 1 && (
          <Button
            look="plain"
            onClick={() =>
              void act(Promise.all(shown.map(({ id }) => client.interactions.cancel(chat.id, id))))
            }
          >
            {text.empty}
          </Button>
        )}
      </header>
      {error !== undefined && <Fault error={error} />}
      <ol>
        {(hasBegun ? [editing, ...shown] : shown).map((item) => (
          <li key={item.id} data-testid="queue-item">
            {editing?.id === item.id ? (
              <EditQueued
                message={editing.user_message}
                onSave={(message) => void save(editing, message)}
                onCancel={stopEditing}
              />
            ) : (
              <>
                <Pictures files={item.files} />
                <span>{visible(item.user_message)}</span>
                <IconButton
                  label={text.moveUp}
                  disabled={item === shown[0]}
                  onClick={() => move(item, -1)}
                >
                  <ChevronUp size={14} aria-hidden />
                </IconButton>
                <IconButton
                  label={text.moveDown}
                  disabled={item === shown.at(-1)}
                  onClick={() => move(item, 1)}
                >
                  <ChevronDown size={14} aria-hidden />
                </IconButton>
                <IconButton label={common.edit} onClick={() => setEditing(item)}>
                  <Pencil size={14} aria-hidden />
                </IconButton>
                <IconButton
                  label={text.drop}
                  onClick={() => void act(client.interactions.cancel(chat.id, item.id))}
                >
                  <X size={14} aria-hidden />
                </IconButton>
              </>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Pictures({ files }: { files: Interaction['files'] }) {
  return files
    .filter(({ mime_type, size_bytes }) => isPicture(mime_type, size_bytes))
    .map((file) => <Thumbnail key={file.id} picture={pictureOf(file)} />);
}

interface EditQueuedProps {
  readonly message: string;
  readonly onSave: (message: string) => void;
  readonly onCancel: () => void;
}

function EditQueued({ message, onSave, onCancel }: EditQueuedProps) {
  const [changed, setChanged] = useState(message);
  return (
    <textarea
      className={css['edit']}
      aria-label={common.edit}
      autoFocus
      value={changed}
      onChange={({ target }) => setChanged(target.value)}
      onBlur={() => (changed.trim() === '' || changed === message ? onCancel() : onSave(changed))}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onCancel();
        if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
        event.preventDefault();
        event.currentTarget.blur();
      }}
    />
  );
}
