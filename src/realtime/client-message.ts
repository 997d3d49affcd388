import { AppError } from '../kernel/app-error.js';

/** Characters of a message of a client. */
const MAX_TEXT = 16_384;
const MAX_FIELD = 500;

/** How the user's speech is answered. */
export interface SpeechOptions {
  readonly agent?: string;
  readonly model?: string;
  /** ISO 639-1, of what the user says. */
  readonly language?: string;
  /** Voice of the answers. */
  readonly voice?: string;
}

/** A message of a client in JSON. */
export type ClientMessage =
  | { readonly type: 'start'; readonly after?: string; readonly options: SpeechOptions }
  | { readonly type: 'commit' }
  | { readonly type: 'interrupt' }
  | { readonly type: 'truncate'; readonly audio_end_ms: number };

const NAMES = ['agent', 'model', 'language', 'voice'] as const;

/** @throws AppError `invalid_message` (400) */
export function parseClientMessage(text: string): ClientMessage {
  const message = text.length > MAX_TEXT ? undefined : parse(text);
  if (typeof message !== 'object' || message === null)
    throw invalid(`Send JSON objects of at most ${MAX_TEXT} characters.`);
  const fields = message as Readonly<Record<string, unknown>>;
  const { type, audio_end_ms } = fields;
  switch (type) {
    case 'start': {
      const after = textOf(fields, 'after');
      const options = NAMES.map((name) => [name, textOf(fields, name)] as const);
      const given = options.filter(([, value]) => value !== undefined);
      return { type, ...(after !== undefined && { after }), options: Object.fromEntries(given) };
    }
    case 'commit':
    case 'interrupt':
      return { type };
    case 'truncate':
      if (typeof audio_end_ms === 'number' && audio_end_ms >= 0) return { type, audio_end_ms };
      throw invalid('audio_end_ms has to be a number of milliseconds, 0 or more.');
    default:
      throw invalid('type has to be start, commit, interrupt or truncate.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function textOf(fields: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && value !== '' && value.length <= MAX_FIELD) return value;
  throw invalid(`${name} has to be a text of 1 to ${MAX_FIELD} characters.`);
}

function invalid(message: string): AppError {
  return new AppError('invalid', 'invalid_message', `Invalid message: ${message}`);
}
