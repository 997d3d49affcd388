import { decryptionFailed, sealedLength } from '../../../encryption/data-key.js';
import type { DataKey } from '../../../encryption/data-key.js';
import { UNREADABLE } from '../../../encryption/unreadable.js';
import { previewOfEnd, textsOf } from '../../../persistence/chat-texts.js';
import type { ChatTexts } from '../../../persistence/chat-texts.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import type { NewInteraction } from '../../../persistence/rows/start-rows.js';
import type { InteractionError } from '../../../protocol/interaction.js';
import type { Message } from '../../../protocol/message.js';
import {
  isSealedJson,
  keyIdOf,
  openJson,
  openText,
  sealJson,
  sealOptional,
} from './sealed-fields.js';
import type { Keys } from './sealed-fields.js';
import { openMessage, sealMessage } from './sealed-records.js';

/** The sealed messages of an interaction, where a list of messages has its place. */
interface SealedMessages {
  readonly role: 'assistant';
  /** The preview of the chat after them, sealed. */
  readonly content: string | null;
  readonly enc: string;
  readonly of: string;
}

export function sealStart(key: DataKey, start: NewInteraction): NewInteraction {
  const { id, metadata } = start;
  return {
    ...start,
    ...sealEdited(key, id, start),
    metadata: sealOptional(key, metadata, [id, 'metadata']),
  };
}

/** The text of a queued interaction, with the settings that say what was redacted in it. */
export function sealEdited(
  key: DataKey,
  id: string,
  { user_message, settings }: Pick<NewInteraction, 'user_message' | 'settings'>,
): Pick<NewInteraction, 'user_message' | 'settings'> {
  return {
    user_message: sealMessage(key, id, user_message),
    settings: sealJson(key, settings, [id, 'settings']),
  };
}

/** The title and the preview that a start gives its chat. */
export function sealTexts(key: DataKey, user_message: string): ChatTexts {
  const { title, preview } = textsOf(user_message);
  return {
    title: title && key.seal(title, [key.id, 'title']),
    preview: preview && key.seal(preview, [key.id, 'preview']),
  };
}

export function sealInteraction<R extends InteractionRow>(key: DataKey, row: R): R {
  const { id, error, cancel_reason } = row;
  return {
    ...row,
    ...sealStart(key, row),
    error: error && sealError(key, id, error),
    cancel_reason: cancel_reason && sealReason(key, id, cancel_reason),
  };
}

/** @throws AppError `decryption_failed` */
export function openInteraction<R extends InteractionRow>(keys: Keys, row: R): R {
  const { id, user_message, settings, metadata, error, cancel_reason } = row;
  if (keysOfInteraction(row).some((key) => key !== undefined && key !== row.chat_uid))
    throw decryptionFailed([id, 'chat_uid']);
  return {
    ...row,
    user_message: openMessage(keys, id, user_message),
    settings: openJson(keys, settings, [id, 'settings']),
    metadata: openJson(keys, metadata, [id, 'metadata']),
    error: error && openJson(keys, error, [id, 'error']),
    cancel_reason: openReason(keys, id, cancel_reason),
  };
}

/** An interaction whose texts can't be opened, as lists and its run see it. */
export function withoutTexts(row: InteractionRow): InteractionRow {
  return { ...row, user_message: UNREADABLE, metadata: {}, error: null, cancel_reason: null };
}

export function keysOfInteraction(row: InteractionRow): (string | undefined)[] {
  const { user_message, settings, metadata, error, cancel_reason } = row;
  return [user_message, settings, metadata, error, cancel_reason].map(keyIdOf);
}

/** Stores read the code. */
export function sealError(key: DataKey, id: string, error: InteractionError): InteractionError {
  return sealJson(key, error, [id, 'error'], { code: error.code });
}

export function sealReason(key: DataKey, id: string, reason: string): string {
  return key.seal(reason, [id, 'cancel_reason']);
}

export function openReason(keys: Keys, id: string, reason: string | null): string | null {
  return openText(keys, reason, [id, 'cancel_reason']);
}

/** Seals all messages as one entry, as stores join the lists of several interactions. */
export function sealMessages(
  key: DataKey,
  id: string,
  messages: readonly Message[],
): readonly Message[] {
  const preview = previewOfEnd(messages);
  const sealed: SealedMessages = {
    role: 'assistant',
    content: preview === null ? null : key.seal(preview, [key.id, 'preview']),
    enc: key.seal(JSON.stringify(messages), [id, 'added_messages']),
    of: id,
  };
  return [sealed];
}

/** The bytes of the messages as JSON, before they were sealed. */
export function messagesLength(messages: readonly Message[]): number {
  const each = messages.map((message) =>
    isSealedJson(message) ? sealedLength(message.enc) : Buffer.byteLength(JSON.stringify(message)),
  );
  return each.reduce((total, length) => total + length, 0);
}

/** @throws AppError `decryption_failed` */
export function openMessages(keys: Keys, messages: readonly Message[]): Message[] {
  return messages.flatMap((message) => {
    const { of } = message as unknown as SealedMessages;
    return openJson<Message | Message[]>(keys, message, [of, 'added_messages']);
  });
}
