import { z } from 'zod';
import { AppError } from '../../kernel/app-error.js';
import { isObject } from '../../kernel/json/json.js';
import { rememberPerObject } from '../../kernel/remember-per-object.js';
import { requireShort } from '../base/require-short.js';
import type { AgUiVersion, Json } from './ag-ui-event.js';

/** Messages, their parts and calls, tools and what else is listed, together. */
const MAX_PARTS = 20_000;
const MAX_ENTRIES = 200;
const MAX_CONTEXT = 1_000;
const MAX_ID = 200;
const FILE_ID = /\bfile_[\w-]{1,59}(?=$|[/?#])/;

/** Whatever is in it: fields are not walked. */
const object = z.custom<Json>(isObject, 'must be an object');

const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  source: z.looseObject({ type: z.string(), value: z.string() }).optional(),
  id: z.string().optional(),
  url: z.string().optional(),
  filename: z.string().optional(),
});

const sentMessage = z.looseObject({
  id: z.string().optional(),
  role: z.enum(['developer', 'system', 'user', 'assistant', 'tool', 'activity', 'reasoning']),
  content: z.union([z.string(), z.array(part), object]).nullish(),
  toolCallId: z.string().optional(),
  error: z.string().optional(),
  subagentRunId: z.string().optional(),
});

const input = z.looseObject({
  threadId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -'),
  runId: z.string().min(1).max(MAX_ID),
  parentRunId: z.string().max(MAX_ID).nullish(),
  protocolVersion: z.string().nullish(),
  messages: z.array(sentMessage),
  tools: z
    .array(
      z.looseObject({
        name: z.string(),
        description: z.string().nullish(),
        parameters: object.nullish(),
      }),
    )
    .nullish(),
  context: z
    .array(z.looseObject({ description: z.string(), value: z.string() }))
    .max(MAX_CONTEXT)
    .nullish(),
  state: z.unknown().optional(),
  forwardedProps: z.unknown().optional(),
  resume: z
    .array(
      z.looseObject({
        interruptId: z.string(),
        status: z.enum(['resolved', 'cancelled']),
        payload: z.unknown().optional(),
      }),
    )
    .max(MAX_ENTRIES)
    .nullish(),
});

type Input = z.infer<typeof input>;
export type SentMessage = z.infer<typeof sentMessage>;
export type ResumeEntry = NonNullable<Input['resume']>[number];

/** A request to run an agent, as its client has sent it. */
export interface RunRequest {
  readonly threadId: string;
  readonly runId: string;
  readonly parentRunId: string | undefined;
  readonly version: AgUiVersion;
  readonly messages: readonly SentMessage[];
  readonly state: unknown;
  readonly resume: readonly ResumeEntry[];
  /** The messages at the end with results of tools that the client ran. */
  readonly results: readonly SentMessage[];
  /** Options of a start: `client_tools` and the fields of `forwardedProps.parley`, not checked. */
  readonly options: Json;
  readonly context: readonly { readonly description: string; readonly value: string }[];
}

/** Once for each body: guards read it too. */
const parse = rememberPerObject((given: object) => input.safeParse(given));

/** @throws AppError `invalid_body` (400) */
export function readInput(given: unknown): RunRequest {
  if (!isObject(given)) throw invalid('body', 'must be an object');
  if (countParts(given) > MAX_PARTS)
    throw invalid('messages', `has more than ${MAX_PARTS} messages and parts: send the last ones`);
  const { data, error } = parse(given);
  if (!data) throw invalidInput(error);
  const { threadId, runId, parentRunId, protocolVersion, messages, state, resume } = data;
  return {
    ...{ threadId, runId, parentRunId: parentRunId ?? undefined, messages, state },
    version: typeof protocolVersion === 'string' ? '1.0' : '0.0',
    resume: resume ?? [],
    results: messages.slice(messages.findLastIndex(({ role }) => role !== 'tool') + 1),
    options: { ...ownProps(data), client_tools: toClientTools(data) },
    context: data.context ?? [],
  };
}

/** For requests whose body is not checked yet: true if the scope `decide` is needed. */
export function decides(given: unknown): boolean {
  if (!isObject(given) || countParts(given) > MAX_PARTS) return false; // it is refused
  const { data } = parse(given);
  if (!data) return false;
  const { approval_mode: mode } = ownProps(data);
  if (mode === 'auto' || mode === 'defer') return true;
  return (data.resume?.length ?? 0) > 0 || data.messages.at(-1)?.role === 'tool';
}

/** The text of a message and the ids of its files. @throws AppError `invalid_body` (400) */
export function readUserMessage(sent: SentMessage): {
  readonly user_message: string;
  readonly file_ids: readonly string[];
} {
  const files = Array.isArray(sent.content)
    ? sent.content.filter(({ type }) => type !== 'text')
    : [];
  const user_message = textOf(sent) || files.map(({ filename }) => filename ?? 'File').join(', ');
  if (!/\S/.test(user_message)) throw invalid('messages', 'ends with a message that has no text');
  return { user_message: requireShort(user_message), file_ids: files.map(fileIdOf) };
}

/** The texts of a message. */
export function textOf({ content }: SentMessage): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap(({ type, text }) => (type === 'text' && text ? text : [])).join('\n\n');
}

/** The result of a tool of the client: a text, or parts as JSON. */
export function resultOf(sent: SentMessage): { readonly text: string; readonly is_error: boolean } {
  const { content, error } = sent;
  const isText = typeof content === 'string' || textOf(sent) !== '';
  const text = isText ? textOf(sent) : JSON.stringify(content ?? '');
  return { text: text || (error ?? ''), is_error: error !== undefined };
}

export function invalid(field: string, message: string): AppError {
  return new AppError('invalid', 'invalid_body', `Invalid body: ${field} ${message}.`, {
    errors: [{ field, message }],
  });
}

/** Without checking them, which takes long for many. */
function countParts({ messages, tools, context, resume }: Json): number {
  const others = lengthOf(tools) + lengthOf(context) + lengthOf(resume);
  if (!Array.isArray(messages)) return others;
  return messages.reduce<number>((sum, each: unknown) => {
    const { content, toolCalls } = isObject(each) ? each : ({} as Json);
    return sum + 1 + lengthOf(content) + lengthOf(toolCalls);
  }, others);
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function ownProps({ forwardedProps }: Input): Json {
  const own = isObject(forwardedProps) ? forwardedProps['parley'] : undefined;
  return isObject(own) ? own : {};
}

function toClientTools({ tools }: Input): readonly Json[] {
  return (tools ?? []).map(({ name, description, parameters }) => ({
    ...{ name, description: description ?? '' },
    input_schema: parameters ?? { type: 'object', properties: {} },
  }));
}

/** The id of an uploaded file, which its address ends with. */
function fileIdOf({ source, url, id }: z.infer<typeof part>): string {
  const address = source?.type === 'data' ? '' : (source?.value ?? url ?? id ?? '');
  const found = FILE_ID.exec(address.slice(0, 2_000))?.[0];
  if (found !== undefined && !address.startsWith('data:')) return found;
  const how = 'send it with POST /files, and its id (file_…) as the value of a `url` source';
  throw invalid('messages', `has a file that was not uploaded: ${how}`);
}

function invalidInput({ issues }: z.ZodError): AppError {
  const [first] = issues;
  return invalid(first!.path.join('.') || 'body', first!.message);
}
