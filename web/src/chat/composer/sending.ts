import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { ParleyError } from 'parley/client';
import { client } from '../../session/client';
import type { Turn } from '../turns';
import type { Attachments } from './attachments';
import { newChatOptions } from './chosen-options';

/** A note to an agent that works, until it is read. */
export interface Note {
  readonly intervention_id: string;
  readonly interaction_id: string;
  readonly text: string;
}

export interface Sending {
  readonly isBusy: boolean;
  readonly isStopping: boolean;
  readonly error: unknown;
  readonly notes: readonly Note[];
  /** Resolves to false if the server has not taken it. */
  readonly send: (message: string, isLater: boolean) => Promise<boolean>;
  readonly stop: () => Promise<void>;
  /** A chat without a message, with the settings that were chosen; gives its id. */
  readonly makeChat: () => Promise<string>;
  /** Sends a note that came too late as a message. */
  readonly resend: (note: Note) => Promise<void>;
}

/** A message that the server has not answered yet. */
interface Attempt {
  /** The message with all that goes with it. */
  readonly sent: string;
  readonly chat_id: string;
  readonly key: string;
}

interface SendingOptions {
  readonly chatId: string | null;
  readonly active: Turn | undefined;
  readonly attachments: Attachments;
}

export function useSending({ chatId, active, attachments }: SendingOptions): Sending {
  const [isBusy, setBusy] = useState(false);
  const [stopping, setStopping] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [notes, setNotes] = useState<readonly Note[]>([]);
  const [, navigate] = useLocation();
  const unanswered = useRef<Attempt>(undefined);

  const attempt = async (action: () => Promise<void>): Promise<boolean> => {
    setBusy(true);
    setError(undefined);
    try {
      await action();
      return true;
    } catch (thrown) {
      setError(thrown);
      return false;
    } finally {
      setBusy(false);
    }
  };
  const start = async (message: string, isLater: boolean): Promise<void> => {
    const file_ids = attachments.items.flatMap(({ file_id }) => file_id ?? []);
    // Sent again, it is the same message of the same chat.
    const sent = JSON.stringify([message, isLater, file_ids]);
    if (unanswered.current?.sent !== sent)
      unanswered.current = { sent, chat_id: chatId ?? newId('chat_'), key: newId() };
    const { chat_id: id, key } = unanswered.current;
    if (chatId === null) await makeChat(id);
    await client.interactions.start(
      id,
      {
        user_message: message,
        on_disconnect: 'continue',
        ...(isLater && { on_conflict: 'enqueue' }),
        ...(file_ids.length > 0 && { file_ids }),
      },
      { idempotency_key: key },
    );
    unanswered.current = undefined;
    attachments.clear();
    if (chatId === null) navigate(`/chats/${id}`);
  };
  const steer = async (message: string, turn: Turn): Promise<void> => {
    const said = asNote(message);
    const { intervention_id } = await client.agents.intervene(turn.agent_id, {
      user_comment: said,
    });
    setNotes((all) => [...all, { intervention_id, interaction_id: turn.id, text: message }]);
  };
  return {
    isBusy,
    isStopping: stopping !== undefined && stopping === active?.id,
    error,
    notes,
    send: (message, isLater) =>
      attempt(() =>
        // Files go with messages: a note has none.
        active && !isLater && attachments.items.length === 0
          ? steer(message, active)
          : start(message, isLater || active !== undefined),
      ),
    stop: async () => {
      if (!active || chatId === null) return;
      setStopping(active.id);
      if (!(await attempt(async () => void (await client.interactions.cancel(chatId, active.id)))))
        setStopping(undefined);
    },
    makeChat: async () => (await client.chats.create({ settings: newChatOptions.get() })).id,
    resend: async (note) => {
      if (await attempt(() => start(note.text, false)))
        setNotes((all) => all.filter((it) => it !== note));
    },
  };
}

/** With the settings that were chosen for it; without any, its first message makes it. */
async function makeChat(id: string): Promise<void> {
  const settings = newChatOptions.get();
  if (Object.keys(settings).length === 0) return;
  try {
    await client.chats.create({ id, settings });
  } catch (error) {
    // Made by an attempt whose message did not get through.
    if (!(error instanceof ParleyError && error.status === 409)) throw error;
  }
}

/** `delete` and `modify` alone are commands of the server. */
function asNote(message: string): string {
  return /^\s*(?:delete|modify)\s*$/.test(message) ? `${message.trim()}.` : message;
}

/** `crypto.randomUUID` is missing in pages that come over plain HTTP from another machine. */
function newId(prefix = ''): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `${prefix}${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
