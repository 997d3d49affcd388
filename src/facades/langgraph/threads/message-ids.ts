import { isObject } from '../../../kernel/json/json.js';
import type { LcMessage } from '../messages/message.js';

/** The key of an interaction's metadata for what its client named. */
const KEY = 'langgraph';
const MAX_ID = 200;

interface Named {
  readonly id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly user_message: string;
}

/**
 * The part of an interaction's metadata that names the client's message.
 * @param input the checkpoint that the interaction tries again
 */
export function namedIn(message_id: string | undefined, input?: string): object {
  const isKept = message_id !== undefined && message_id.length <= MAX_ID;
  const named = { ...(isKept && { message_id }), ...(input !== undefined && { input }) };
  return Object.keys(named).length > 0 ? { [KEY]: named } : {};
}

/** The message that began an interaction, with the id that its client gave it. */
export function humanMessage({ id, metadata, user_message: content }: Named): LcMessage {
  return { type: 'human', id: textIn(metadata, 'message_id') ?? `${id}.input`, content };
}

/** The checkpoint of the message that the interaction tries again; undefined: it has its own. */
export function inputOf({ metadata }: Pick<Named, 'metadata'>): string | undefined {
  return textIn(metadata, 'input');
}

function textIn(metadata: Named['metadata'], field: string): string | undefined {
  const named = metadata[KEY];
  const value = isObject(named) ? named[field] : undefined;
  return typeof value === 'string' ? value : undefined;
}
