import { z } from 'zod';
import type { ClientTool } from '../../../persistence/rows/interaction-row.js';
import type { Message } from '../../../protocol/message.js';
import { requireShort } from '../../base/require-short.js';
import { effort, maxOutputTokens, modelOptions, sampling } from '../model-options.js';
import type { ModelOptions } from '../model-options.js';
import { invalidBody, refuseParameters, unsupported } from '../parameters.js';
import { clientTool, metadata, optional, readBody, toClientTool, tools } from '../read-body.js';
import { SERVER_LABEL } from './response-items.js';

const MAX_ITEMS = 2_000;

const item = z.looseObject({ type: optional(z.string()), role: optional(z.string()) });

const responseBody = z.looseObject({
  model: z.string().max(264),
  input: z.union([z.string(), z.array(item).min(1).max(MAX_ITEMS)]),
  instructions: optional(z.string()),
  stream: optional(z.boolean()),
  background: optional(z.boolean()),
  previous_response_id: optional(z.string().max(100)),
  conversation: optional(z.union([z.string(), z.looseObject({ id: z.string() })])),
  tools,
  tool_choice: optional(z.unknown()),
  parallel_tool_calls: optional(z.boolean()),
  max_tool_calls: optional(z.number()),
  reasoning: optional(z.looseObject({ effort: effort })),
  ...sampling,
  max_output_tokens: maxOutputTokens,
  metadata,
});

export interface GivenVerdict {
  readonly approval_id: string;
  readonly approved: boolean;
  readonly reason?: string;
}

export interface GivenOutput {
  readonly call_id: string;
  readonly output: string;
}

export interface ResponseRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly background: boolean;
  readonly previous_response_id: string | undefined;
  /** The chat. */
  readonly conversation: string | undefined;
  readonly client_tools: readonly ClientTool[];
  readonly options: ModelOptions;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly instructions: string | undefined;
  /** Messages before the new one. */
  readonly history: readonly Message[];
  /** The new message; undefined: verdicts or outputs are what is new. */
  readonly last: string | undefined;
  readonly verdicts: readonly GivenVerdict[];
  readonly outputs: readonly GivenOutput[];
}

type Item = z.output<typeof item>;

/** @throws AppError `invalid_body`, `unsupported_parameter` (400) */
export function readResponseBody(sent: unknown): ResponseRequest {
  const body = readBody(responseBody, sent);
  refuseParameters(body);
  if (body.parallel_tool_calls === false)
    throw unsupported('parallel_tool_calls', 'can’t be honoured by agents: leave it out');
  if (body.max_tool_calls !== undefined)
    throw unsupported('max_tool_calls', 'can’t be honoured by agents: leave it out');
  const { conversation, previous_response_id, instructions } = body;
  if (conversation !== undefined && previous_response_id !== undefined)
    throw invalidBody('conversation', 'must not be given together with previous_response_id');
  return {
    ...{ model: body.model, stream: body.stream ?? false, background: body.background ?? false },
    ...{ previous_response_id, instructions },
    conversation: typeof conversation === 'object' ? conversation.id : conversation,
    client_tools: readTools(body.tools ?? [], body.tool_choice),
    options: modelOptions(body.reasoning?.effort, body),
    metadata: body.metadata ?? {},
    ...readInput(body.input),
  };
}

/** True if a person's verdict is among what is sent. */
export function hasVerdict(body: unknown): boolean {
  const { input } = (body ?? {}) as { readonly input?: unknown };
  const items: readonly unknown[] = Array.isArray(input) ? input : [];
  return items.some((each) => (each as Item | null)?.type === 'mcp_approval_response');
}

type Input = Pick<ResponseRequest, 'history' | 'last' | 'verdicts' | 'outputs'>;

function readInput(input: string | readonly Item[]): Input {
  const nothing = { history: [], verdicts: [], outputs: [] };
  if (typeof input === 'string') return { ...nothing, last: requireText(input, 'input') };
  const from = input.findLastIndex((each) => !isAnswer(each)) + 1;
  if (from === input.length) return { ...nothing, ...readMessages(input) };
  const answers = input.slice(from).map((each, index) => readAnswer(each, `input.${from + index}`));
  return {
    history: [], // what is answered says which conversation it is
    last: undefined,
    verdicts: answers.flatMap((each) => ('approval_id' in each ? each : [])),
    outputs: answers.flatMap((each) => ('call_id' in each ? each : [])),
  };
}

function isAnswer({ type }: Item): boolean {
  return type === 'mcp_approval_response' || type === 'function_call_output';
}

const verdict = z.looseObject({
  approval_request_id: z.string().max(100),
  approve: z.boolean(),
  reason: optional(z.string()),
});
const output = z.looseObject({
  call_id: z.string().max(200),
  output: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
});

function readAnswer(sent: Item, field: string): GivenVerdict | GivenOutput {
  if (sent.type === 'function_call_output') {
    const { call_id, output: given } = readBody(output, sent);
    return { call_id, output: textOf(given, field) };
  }
  const { approval_request_id: approval_id, approve: approved, reason } = readBody(verdict, sent);
  return { approval_id, approved, ...(reason !== undefined && { reason }) };
}

function readMessages(items: readonly Item[]): Pick<Input, 'history' | 'last'> {
  const messages = items.flatMap((each, index) => toMessages(each, `input.${index}`));
  const last = messages.at(-1);
  if (last?.role !== 'user')
    throw invalidBody(
      'input',
      'has to end with a user’s message, a verdict or the output of a call',
    );
  return { history: messages.slice(0, -1), last: requireText(last.content, 'input') };
}

/** Items of the agents themselves are in their log: they are not read from clients. */
const OWN = ['reasoning', 'mcp_call', 'mcp_approval_request', 'mcp_approval_response'];

function toMessages(sent: Item, field: string): Message[] {
  const { type = 'message', role } = sent;
  if (OWN.includes(type)) return [];
  if (type === 'function_call') {
    const { call_id, name, arguments: input } = readBody(functionCall, sent);
    const call = { id: call_id, type: 'function' as const, function: { name, arguments: input } };
    return [{ role: 'assistant', content: null, tool_calls: [call] }];
  }
  if (type === 'function_call_output') {
    const { call_id, output: given } = readBody(output, sent);
    return [{ role: 'tool', tool_call_id: call_id, content: requireShort(textOf(given, field)) }];
  }
  if (type !== 'message') throw unsupported(field, `is a "${type}", which agents can’t take`);
  const content = requireShort(textOf(sent['content'], `${field}.content`));
  if (role === 'system' || role === 'developer') return [{ role: 'system', content }];
  if (role === 'user' || role === 'assistant') return [{ role, content }];
  throw invalidBody(`${field}.role`, 'must be user, assistant, system or developer');
}

const functionCall = z.looseObject({
  call_id: z.string().max(200),
  name: z.string(),
  arguments: z.string(),
});

function textOf(given: unknown, field: string): string {
  if (typeof given === 'string') return given;
  if (!Array.isArray(given)) throw invalidBody(field, 'has to be text, or a list of parts');
  return given
    .map((part: Item | null, index) => {
      const text = part?.['text'] ?? part?.['refusal'];
      if (typeof text === 'string') return text;
      const why = `is "${part?.type}": send text, and files with POST /files`;
      throw unsupported(`${field}.${index}`, why);
    })
    .join('\n');
}

function requireText(text: string, field: string): string {
  if (text.trim() === '') throw invalidBody(field, 'must contain more than white space');
  return text;
}

function readTools(
  given: readonly { readonly type: string; readonly [field: string]: unknown }[],
  choice: unknown,
): readonly ClientTool[] {
  if (choice !== undefined && choice !== 'auto' && choice !== 'none')
    throw unsupported('tool_choice', 'can’t be honoured by agents: send "auto" or "none"');
  if (choice === 'none') return [];
  return given.flatMap((tool, index) => {
    const field = `tools.${index}`;
    if (tool.type === 'mcp' && tool['server_label'] === SERVER_LABEL) return [];
    if (tool.type !== 'function')
      throw unsupported(field, 'is no function: the server has its own tools for all else');
    return toClientTool(readBody(clientTool, tool), field);
  });
}
