import { z } from 'zod';
import { AppError } from '../../kernel/app-error.js';
import { isObject } from '../../kernel/json/json.js';
import { rememberPerObject } from '../../kernel/remember-per-object.js';
import type { PlacedMessage } from '../base/branches.js';
import type { GivenOutput, GivenVerdict } from '../base/request-decisions.js';
import { requireShort } from '../base/require-short.js';
import { AI_SDK_VERSIONS } from './ui-chunk.js';
import type { AiSdkVersion } from './ui-chunk.js';

/** Fields of a request that are options of a start. */
const OPTIONS = [
  ...['agent', 'model', 'max_iterations', 'approval_mode', 'budget', 'metadata'],
  ...['thinking', 'temperature', 'top_p', 'max_output_tokens'],
  ...['client_tools', 'file_ids', 'on_conflict', 'on_disconnect'],
] as const;

const MAX_DECISIONS = 200;
/** Messages and parts of a body, together. */
const MAX_PARTS = 20_000;
const FILE_ID = /\bfile_[\w-]{1,59}(?=$|[/?#])/;

const PART = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  url: z.string().optional(),
  filename: z.string().optional(),
  state: z.string().optional(),
  toolCallId: z.string().optional(),
  output: z.unknown().optional(),
  errorText: z.string().optional(),
  approval: z
    .looseObject({ id: z.string(), approved: z.boolean().optional(), reason: z.string().nullish() })
    .optional(),
  data: z.unknown().optional(),
});

const MESSAGE = z.looseObject({
  id: z.string().optional(),
  role: z.enum(['system', 'user', 'assistant']),
  parts: z.array(PART),
  metadata: z.unknown().optional(),
});

const BODY = z.looseObject({
  id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -'),
  messages: z.array(MESSAGE).min(1).optional(),
  message: MESSAGE.optional(),
  trigger: z.string().nullish(),
  messageId: z.string().nullish(),
  approvals: z.array(z.unknown()).max(MAX_DECISIONS).nullish(),
});

export type UiMessage = z.infer<typeof MESSAGE>;
type UiPart = z.infer<typeof PART>;

/** A message that starts an interaction. */
export interface AskedMessage {
  readonly kind: 'message';
  readonly chat_id: string;
  readonly message: UiMessage;
  readonly user_message: string;
  /** The messages before it, as the client has them. */
  readonly history: readonly UiMessage[];
  /** The answer to replace, if the client names it. */
  readonly regenerated: string | undefined;
  /** True if the client says that it has changed its history. */
  readonly isEdit: boolean;
  /** Options of a start, not checked. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** An answer that goes on, with decisions of the client. */
export interface AskedContinuation {
  readonly kind: 'continuation';
  readonly chat_id: string;
  readonly interaction_id: string;
  /** The last record that the client has; undefined: it does not say. */
  readonly seq: number | undefined;
  readonly verdicts: readonly GivenVerdict[];
  readonly outputs: readonly GivenOutput[];
}

/** Once for each body: guards read it too. */
const parse = rememberPerObject((given: object) => BODY.safeParse(given));

/** @throws AppError `invalid_body` (400), `body_too_large` (413) */
export function readRequest(given: unknown): AskedMessage | AskedContinuation {
  if (!isObject(given)) throw invalid('body', 'must be an object');
  if (countParts(given) > MAX_PARTS)
    throw invalid('messages', `has more than ${MAX_PARTS} messages and parts: send the last ones`);
  const { data, error } = parse(given);
  if (!data) throw invalidBody(error);
  const messages = data.messages ?? (data.message ? [data.message] : []);
  const last = messages.at(-1);
  if (!last)
    throw invalid('messages', 'is needed: the conversation, or `message` with its last one');
  const target = answerToContinue(messages, data);
  return target ? continuationOf(target, data) : messageOf(last, messages, data);
}

/** For requests whose body is not checked yet. */
export function decides(given: unknown): boolean {
  if (!isObject(given) || countParts(given) > MAX_PARTS) return false; // it is refused
  const { data } = parse(given);
  if (!data) return false;
  if (data['approval_mode'] === 'auto' || data['approval_mode'] === 'defer') return true;
  const target = answerToContinue(data.messages ?? (data.message ? [data.message] : []), data);
  if (!target) return false;
  const { verdicts, outputs } = continuationOf(target, data);
  return verdicts.length + outputs.length > 0;
}

/** Without checking them, which takes long for many. */
function countParts({ messages, message }: Readonly<Record<string, unknown>>): number {
  const given: readonly unknown[] = Array.isArray(messages) ? messages : [];
  const all = message === undefined ? given : [...given, message];
  return all.reduce<number>((sum, each) => {
    const parts = isObject(each) ? each['parts'] : undefined;
    return sum + 1 + (Array.isArray(parts) ? parts.length : 0);
  }, 0);
}

/** @throws AppError `invalid_query` (400) */
export function versionOf(query: unknown, header: string | undefined): AiSdkVersion {
  const text = typeof query === 'string' && query !== '' ? query : (header ?? '6');
  const version = AI_SDK_VERSIONS.find((each) => String(each) === text.split('.', 1)[0]);
  if (version) return version;
  const message = `must be one of ${AI_SDK_VERSIONS.join(', ')}: the major version of your package "ai"`;
  throw new AppError('invalid', 'invalid_query', `v (or x-ai-sdk-version) ${message}.`, {
    errors: [{ field: 'v', message }],
  });
}

/** An answer has the id of its interaction. */
export function toPlaced(asked: AskedMessage): PlacedMessage {
  const { chat_id, message, history, regenerated, isEdit } = asked;
  return {
    ...{ chat_id, key: 'ai_sdk', message: { id: message.id }, regenerated, isEdit },
    history: history.map((each) => {
      return { id: each.id, role: each.role, text: textOf(each), interaction_id: each.id };
    }),
  };
}

/** The texts of a message. */
function textOf({ parts }: UiMessage): string {
  const texts = parts.flatMap(({ type, text }) => (type === 'text' && text ? text : []));
  return texts.join('\n\n');
}

type Body = z.infer<typeof BODY>;

/** The answer that the request is about, unless that is a message of the user. */
function answerToContinue(
  messages: readonly UiMessage[],
  { trigger, messageId }: Body,
): UiMessage | undefined {
  if (trigger === 'regenerate-message') return undefined;
  const named = messages.find(({ id, role }) => role === 'assistant' && id === messageId);
  const target = named ?? messages.at(-1);
  return target?.role === 'assistant' ? target : undefined;
}

function continuationOf(target: UiMessage, { id: chat_id, approvals }: Body): AskedContinuation {
  const { id, metadata, parts } = target;
  const parley = isObject(metadata) ? metadata['parley'] : undefined;
  const seq = isObject(parley) ? parley['seq'] : undefined;
  return {
    ...{ kind: 'continuation', chat_id, interaction_id: id ?? '' },
    seq: typeof seq === 'number' && Number.isSafeInteger(seq) && seq > 0 ? seq : undefined,
    verdicts: [...verdictsIn(parts), ...(approvals ?? []).filter(isObject)],
    outputs: parts.flatMap((each) => outputOf(each) ?? []),
  };
}

function verdictsIn(parts: readonly UiPart[]): GivenVerdict[] {
  return parts.flatMap(({ type, state, approval, data }): GivenVerdict[] => {
    if (state === 'approval-responded' && approval?.approved !== undefined) {
      const { id: approval_id, approved, reason } = approval;
      return [{ approval_id, approved, ...(reason && { reason }) }];
    }
    if (type !== 'data-approval' || !isObject(data)) return [];
    const { approval_id, approved, decision_reason: reason, modified_input } = data;
    if (typeof approved !== 'boolean') return [];
    return [
      {
        approval_id,
        approved,
        ...(reason ? { reason } : {}),
        ...(modified_input ? { modified_input } : {}),
      },
    ];
  });
}

/** The output of a call that the server does not run itself; undefined for other parts. */
function outputOf(given: UiPart): GivenOutput | undefined {
  const { type, toolCallId: tool_call_id, state, output, errorText = '' } = given;
  const isCall = type.startsWith('tool-') || type === 'dynamic-tool';
  if (!isCall || tool_call_id === undefined || given['providerExecuted'] === true) return undefined;
  if (state === 'output-error') return { tool_call_id, text: errorText, is_error: true };
  if (state !== 'output-available') return undefined;
  const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
  return { tool_call_id, text, is_error: false };
}

function messageOf(last: UiMessage, messages: readonly UiMessage[], data: Body): AskedMessage {
  const { id: chat_id, trigger, messageId } = data;
  if (last.role !== 'user') throw invalid('messages', 'ends with no message of the user');
  const files = last.parts.filter(({ type }) => type === 'file');
  const user_message = textOf(last) || files.map(({ filename }) => filename ?? 'File').join(', ');
  if (!/\S/.test(user_message)) throw invalid('messages', 'ends with a message that has no text');
  requireShort(user_message);
  const file_ids = files.map(fileIdOf);
  const given = Object.fromEntries(OPTIONS.flatMap((name) => entryOf(data, name)));
  const isRegenerated = trigger === 'regenerate-message';
  return {
    ...{ kind: 'message', chat_id, message: last, user_message },
    history: messages.slice(0, -1),
    regenerated: isRegenerated ? (messageId ?? undefined) : undefined,
    isEdit: isRegenerated || typeof messageId === 'string',
    options: { ...(file_ids.length > 0 && { file_ids }), ...given },
  };
}

function entryOf(data: Body, name: string): [string, unknown][] {
  const value = data[name];
  return value === undefined || value === null ? [] : [[name, value]];
}

/** The id of an uploaded file, which its address ends with. */
function fileIdOf({ url = '' }: UiPart): string {
  const id = FILE_ID.exec(url.slice(0, 2_000))?.[0];
  if (id !== undefined && !url.startsWith('data:')) return id;
  throw invalid(
    'messages',
    'has a file that was not uploaded: send it with POST /files, and its id (file_…) as `url`',
  );
}

function invalidBody({ issues }: z.ZodError): AppError {
  const [first] = issues;
  return invalid(first!.path.join('.') || 'body', first!.message);
}

function invalid(field: string, message: string): AppError {
  return new AppError('invalid', 'invalid_body', `Invalid body: ${field} ${message}.`, {
    errors: [{ field, message }],
  });
}
