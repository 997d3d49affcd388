import { z } from 'zod';
import type { ClientTool } from '../../../persistence/rows/interaction-row.js';
import type { Message } from '../../../protocol/message.js';
import { requireShort } from '../../base/require-short.js';
import { parseCallId } from '../ids.js';
import { effort, maxOutputTokens, modelOptions, sampling } from '../model-options.js';
import type { ModelOptions } from '../model-options.js';
import { refuseParameters, unsupported } from '../parameters.js';
import { clientTool, metadata, optional, readBody, toClientTool, tools } from '../read-body.js';

const MAX_MESSAGES = 2_000;

const content = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish();

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content,
  tool_call_id: z.string().max(200).optional(),
  tool_calls: z
    .array(
      z.looseObject({
        id: z.string().max(200),
        type: z.string(),
        function: z.looseObject({ name: z.string(), arguments: z.string() }).optional(),
      }),
    )
    .nullish(),
});

const chatBody = z.looseObject({
  model: z.string().max(264),
  messages: z.array(message).min(1).max(MAX_MESSAGES),
  stream: optional(z.boolean()),
  stream_options: optional(z.looseObject({ include_usage: optional(z.boolean()) })),
  tools,
  tool_choice: optional(z.unknown()),
  reasoning_effort: effort,
  ...sampling,
  max_tokens: maxOutputTokens,
  max_completion_tokens: maxOutputTokens,
  metadata,
});

/** A result that a client gives at the end of its history. */
export interface GivenResult {
  readonly tool_call_id: string;
  readonly content: string;
}

export interface ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly include_usage: boolean;
  readonly client_tools: readonly ClientTool[];
  readonly options: ModelOptions;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** All but what is new. */
  readonly history: readonly Message[];
  /** The new part: a message, or results of tools that the client ran. */
  readonly last: string | readonly GivenResult[];
}

/** @throws AppError `invalid_body`, `unsupported_parameter` (400), `body_too_large` (413) */
export function readChatBody(sent: unknown): ChatRequest {
  const body = readBody(chatBody, sent);
  refuseParameters(body);
  const messages = body.messages.map(toMessage);
  return {
    model: body.model,
    stream: body.stream ?? false,
    include_usage: body.stream_options?.include_usage ?? false,
    client_tools: readTools(body.tools ?? [], body.tool_choice),
    options: modelOptions(body.reasoning_effort, {
      ...body,
      max_output_tokens: body.max_completion_tokens ?? body.max_tokens,
    }),
    metadata: body.metadata ?? {},
    ...splitLast(messages),
  };
}

function splitLast(messages: readonly Message[]): Pick<ChatRequest, 'history' | 'last'> {
  const last = messages.at(-1)!;
  if (last.role === 'user' && last.content.trim() !== '')
    return { history: messages.slice(0, -1), last: last.content };
  const from = messages.findLastIndex(({ role }) => role !== 'tool') + 1;
  const results = messages.slice(from).flatMap((each) => (each.role === 'tool' ? each : []));
  if (results.length === 0)
    throw unsupported('messages', 'has to end with the message of a user, or the results of tools');
  return { history: messages.slice(0, from), last: results };
}

function readTools(
  given: readonly { readonly type: string }[],
  choice: unknown,
): readonly ClientTool[] {
  if (choice !== undefined && choice !== 'auto' && choice !== 'none')
    throw unsupported('tool_choice', 'can’t be honoured by agents: send "auto" or "none"');
  if (choice === 'none') return [];
  return given.map((tool, index) => {
    const field = `tools.${index}`;
    if (tool.type !== 'function')
      throw unsupported(field, 'is no function: the server has its own tools for all else');
    const { function: declared } = readBody(z.looseObject({ function: clientTool }), tool);
    return toClientTool(declared, field);
  });
}

function toMessage(sent: z.output<typeof message>, index: number): Message {
  const field = `messages.${index}`;
  const text = requireShort(textOf(sent.content, field));
  switch (sent.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: text ?? '' };
    case 'user':
      return { role: 'user', content: text ?? '' };
    case 'tool':
      if (sent.tool_call_id === undefined) throw unsupported(field, 'needs a tool_call_id');
      return { role: 'tool', tool_call_id: sent.tool_call_id, content: text ?? '' };
    case 'assistant': {
      const calls = (sent.tool_calls ?? []).map(({ id, function: called }) => {
        if (!called) throw unsupported(field, 'has a call of no function');
        const { name, arguments: input } = called;
        return { id, type: 'function' as const, function: { name, arguments: input } };
      });
      if (calls.length === 0) return { role: 'assistant', content: text ?? '' };
      return { role: 'assistant', content: text ?? null, tool_calls: calls };
    }
  }
}

function textOf(given: z.output<typeof content>, field: string): string | undefined {
  if (given === null || given === undefined) return undefined;
  if (typeof given === 'string') return given;
  return given
    .map(({ type, ...part }, index) => {
      const text = part['text'] ?? part['refusal'];
      if (typeof text === 'string' && (type === 'text' || type === 'refusal')) return text;
      const why = `is "${type}": send text, and files with POST /files`;
      throw unsupported(`${field}.content.${index}`, why);
    })
    .join('\n');
}

/** The history as a chat keeps it: calls have their own ids. */
export function withOwnIds(messages: readonly Message[]): readonly Message[] {
  return messages.map((each) => {
    if (each.role === 'tool') return { ...each, tool_call_id: ownId(each.tool_call_id) };
    if (each.role !== 'assistant' || !each.tool_calls) return each;
    return {
      ...each,
      tool_calls: each.tool_calls.map((call) => ({ ...call, id: ownId(call.id) })),
    };
  });
}

function ownId(id: string): string {
  return parseCallId(id)?.call_id ?? id;
}
