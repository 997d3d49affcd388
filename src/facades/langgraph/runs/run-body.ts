import { z } from 'zod';
import { isObject } from '../../../kernel/json/json.js';
import { rememberPerObject } from '../../../kernel/remember-per-object.js';
import type { Message } from '../../../protocol/message.js';
import { requireShort } from '../../base/require-short.js';
import { invalidBody, unsupported } from '../errors.js';
import { STREAM_MODES } from './run-projection.js';
import type { StreamMode } from './run-projection.js';

/** Messages and parts of a body, together. */
const MAX_PARTS = 20_000;
/** Fields of `configurable` and `context` that are options of a start. */
const OPTIONS = [
  ...['model', 'thinking', 'max_iterations', 'approval_mode', 'budget', 'client_tools', 'file_ids'],
] as const;
/** Parameters that agents can't honour, with the values that change nothing. */
const REFUSED: Readonly<Record<string, readonly unknown[]>> = {
  interrupt_before: [],
  interrupt_after: [],
  after_seconds: [0],
  webhook: [],
  on_completion: ['keep', 'complete'],
};

const TEXT_PART = z.looseObject({ type: z.string(), text: z.string().optional() });
const MESSAGE = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  id: z.string().nullish(),
  content: z.union([z.string(), z.array(TEXT_PART)]).nullish(),
});
const INPUT = z.looseObject({
  messages: z.union([z.array(z.union([z.string(), MESSAGE])), z.string(), MESSAGE]).nullish(),
});
const CONFIG = z.looseObject({
  configurable: z
    .looseObject({ checkpoint_id: z.string().nullish(), thread_id: z.string().nullish() })
    .nullish(),
});
const BODY = z.looseObject({
  assistant_id: z.string(),
  input: z.union([INPUT, z.string(), z.array(z.unknown())]).nullish(),
  command: z
    .looseObject({
      resume: z.unknown().optional(),
      update: z.unknown().optional(),
      goto: z.unknown().optional(),
    })
    .nullish(),
  config: CONFIG.nullish(),
  context: z.record(z.string(), z.unknown()).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  checkpoint_id: z.string().nullish(),
  checkpoint: z.looseObject({ checkpoint_id: z.string().nullish() }).nullish(),
  stream_mode: z.union([z.string(), z.array(z.string()).max(20)]).nullish(),
  multitask_strategy: z.enum(['reject', 'enqueue', 'interrupt', 'rollback']).nullish(),
  on_disconnect: z.enum(['cancel', 'continue']).nullish(),
  if_not_exists: z.enum(['reject', 'create']).nullish(),
  strict_resume: z.boolean().nullish(),
});

type Body = z.infer<typeof BODY>;
type MultitaskStrategy = NonNullable<Body['multitask_strategy']>;

/** The user's message, with the id that the client gave it, and what the client sent before it. */
export interface InputMessage {
  readonly id: string | undefined;
  readonly text: string;
  readonly history: readonly Message[];
}

/** A run that a client asks for. */
export interface RunRequest {
  readonly assistant_id: string;
  /** Undefined: none; the message of the checkpoint is tried again. */
  readonly message: InputMessage | undefined;
  /** Undefined: nothing is resumed. */
  readonly resume: { readonly value: unknown; readonly isStrict: boolean } | undefined;
  readonly checkpoint_id: string | undefined;
  readonly modes: ReadonlySet<StreamMode>;
  readonly multitask_strategy: MultitaskStrategy | undefined;
  readonly on_disconnect: 'cancel' | 'continue';
  readonly createsThread: boolean;
  /** Options of a start, not checked. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const parse = rememberPerObject((given: object) => BODY.safeParse(given));

/** @throws AppError `invalid_body`, `unsupported_parameter` (400), `body_too_large` (413) */
export function readRunBody(given: unknown): RunRequest {
  if (!isObject(given)) throw invalidBody('body', 'must be an object');
  if (countParts(given['input']) > MAX_PARTS)
    throw invalidBody('input.messages', `has more than ${MAX_PARTS} messages and parts`);
  const { data, error } = parse(given);
  if (!data) {
    const [issue] = error.issues;
    throw invalidBody(issue!.path.join('.') || 'body', issue!.message);
  }
  refuseParameters(data);
  const { command, config, context, checkpoint, checkpoint_id, metadata } = data;
  const { configurable } = config ?? {};
  const isResumed = command?.resume !== undefined && command.resume !== null;
  return {
    assistant_id: data.assistant_id,
    message: isResumed ? undefined : messageIn(data.input),
    resume: isResumed
      ? { value: command.resume, isStrict: data.strict_resume === true }
      : undefined,
    checkpoint_id:
      checkpoint_id ?? checkpoint?.checkpoint_id ?? configurable?.checkpoint_id ?? undefined,
    modes: readModes(data.stream_mode),
    multitask_strategy: data.multitask_strategy ?? undefined,
    on_disconnect: data.on_disconnect ?? 'continue',
    createsThread: data.if_not_exists === 'create',
    options: { ...optionsIn(configurable), ...optionsIn(context) },
    metadata: metadata ?? {},
  };
}

/** For requests whose body is not checked yet. */
export function decides(given: unknown): boolean {
  if (!isObject(given)) return false; // it is refused
  const { command, config, context } = given;
  if (isObject(command) && command['resume'] !== undefined && command['resume'] !== null)
    return true;
  const configurable = isObject(config) ? config['configurable'] : undefined;
  return [configurable, context].some((each) => {
    const mode = isObject(each) ? each['approval_mode'] : undefined;
    return mode === 'auto' || mode === 'defer';
  });
}

/** @throws AppError `unsupported_parameter` (400) */
export function readModes(given: string | readonly string[] | null | undefined) {
  const names = typeof given === 'string' ? [given] : (given ?? []);
  for (const name of names)
    if (!(STREAM_MODES as readonly string[]).includes(name))
      throw unsupported(
        'stream_mode',
        `can be ${STREAM_MODES.join(', ')}, not ${name.slice(0, 50)}`,
      );
  return new Set(names.length > 0 ? (names as StreamMode[]) : (['values'] as const));
}

function refuseParameters(body: Body): void {
  for (const [name, taken] of Object.entries(REFUSED)) {
    const value = body[name] ?? undefined;
    const isEmpty = Array.isArray(value) && value.length === 0;
    if (value !== undefined && !isEmpty && !taken.includes(value))
      throw unsupported(name, 'can’t be honoured by agents: leave it out');
  }
  for (const name of ['update', 'goto'] as const)
    if (body.command?.[name] !== undefined && body.command[name] !== null)
      throw unsupported(`command.${name}`, 'can’t be honoured by agents: leave it out');
}

function optionsIn(given: Readonly<Record<string, unknown>> | null | undefined): object {
  const entries = OPTIONS.map((name) => [name, given?.[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null));
}

/** Without checking them, which takes long for many. */
function countParts(input: unknown): number {
  const messages = isObject(input) ? input['messages'] : input;
  const all: readonly unknown[] = Array.isArray(messages) ? messages : [messages];
  return all.reduce<number>((sum, each) => {
    const content = isObject(each) ? each['content'] : each;
    return sum + 1 + (Array.isArray(content) ? content.length : 0);
  }, 0);
}

/** The last messages of the user are one; those before them are a new thread's history. */
function messageIn(input: Body['input']): InputMessage | undefined {
  const given = typeof input === 'string' || Array.isArray(input) ? input : input?.messages;
  if (given === undefined || given === null) return undefined;
  const messages = (Array.isArray(given) ? given : [given]).map(toMessage);
  if (messages.length === 0) return undefined;
  const start = messages.findLastIndex(({ role }) => role !== 'user') + 1;
  const said = messages.slice(start);
  if (said.length === 0) throw invalidBody('input.messages', 'ends with no message of the user');
  const text = said.map(({ content }) => content).join('\n\n');
  if (!/\S/.test(text)) throw invalidBody('input.messages', 'ends with a message without text');
  const history = messages.slice(0, start).flatMap(({ role, content }): Message[] => {
    return role === 'tool' || content === '' ? [] : [{ role, content }];
  });
  return { id: said.at(-1)!.id, text: requireShort(text), history };
}

interface ReadMessage {
  readonly role: 'user' | 'assistant' | 'system' | 'tool';
  readonly id: string | undefined;
  readonly content: string;
}

const ROLES: ReadonlyMap<string, ReadMessage['role']> = new Map([
  ...(['human', 'user'] as const).map((name) => [name, 'user'] as const),
  ...(['ai', 'assistant'] as const).map((name) => [name, 'assistant'] as const),
  ...(['system', 'developer'] as const).map((name) => [name, 'system'] as const),
  ['tool', 'tool'],
]);

function toMessage(given: unknown, at: number): ReadMessage {
  const field = `input.messages.${at}`;
  if (typeof given === 'string') return { role: 'user', id: undefined, content: given };
  const { data } = MESSAGE.safeParse(given);
  const role = data && ROLES.get(data.type ?? data.role ?? '');
  if (!role) throw invalidBody(field, 'must be a message of human, ai, system or tool');
  const { content, id } = data;
  return { role, id: id ?? undefined, content: textOf(content, field, role) };
}

function textOf(
  content: z.infer<typeof MESSAGE>['content'],
  field: string,
  role: ReadMessage['role'],
): string {
  if (typeof content === 'string') return content;
  const parts = content ?? [];
  const other = parts.find(({ type, text }) => type !== 'text' || text === undefined);
  if (other && role === 'user')
    throw unsupported(field, 'has more than text: upload files, and send file_ids in configurable');
  return parts.map(({ text = '' }) => text).join('\n\n');
}
