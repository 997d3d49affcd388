import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import type {
  MessageCreateParamsStreaming,
  TextBlockParam,
  Tool,
  ContentBlockParam,
  ToolUnion,
  OutputConfig,
  ThinkingConfigParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { Message } from '../../protocol/message.js';
import { MIN_THINKING_BUDGET } from '../../protocol/thinking.js';
import { AppError } from '../../kernel/app-error.js';
import type { ModelRequest, ModelTool, ToolChoice } from '../model-provider.js';
import type { Adaptation } from '../profile/adaptation.js';
import { schemaInWords } from '../schema/schema-in-words.js';
import { budgetOf, effortOf } from '../thinking-effort.js';
import { messageParams } from './message-params.js';
import { modelTraits } from './model-traits.js';
import type { Turn } from './message-params.js';
import type { ModelTraits } from './model-traits.js';

type Params = MessageCreateParamsStreaming;

/** The endpoint of a request, and how it takes requests. */
export interface Receiver {
  readonly endpoint: string;
  readonly adaptation: Pick<Adaptation, 'dropped' | 'max_limit' | 'returns_kept'>;
}

/**
 * The body of a streamed message request.
 * @throws AppError `unsupported_content`, `thinking_budget_too_large`
 */
export function messageRequest(request: ModelRequest, { endpoint, adaptation }: Receiver): Params {
  const { model, messages, temperature, top_p } = request;
  const traits = modelTraits(model);
  const max_tokens = Math.min(limitOf(request, traits), adaptation.max_limit);
  const turns = messageParams(messages, adaptation.returns_kept ? { model, endpoint } : undefined);
  const { thinking, effort } = thinkingParams(request, { traits, max_tokens, turns });
  const body: Params = {
    model,
    max_tokens,
    stream: true,
    messages: markTurns(turns),
    ...systemOf(request, adaptation.dropped.has('output_config')),
    ...toolsOf(request),
    ...(thinking && { thinking }),
    ...outputConfig(request, effort),
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { top_p }),
  };
  return without(body, adaptation.dropped);
}

function outputConfig(
  { schema }: ModelRequest,
  effort: OutputConfig['effort'],
): Pick<Params, 'output_config'> {
  if (!schema && !effort) return {};
  return {
    output_config: { ...(effort && { effort }), ...(schema && { format: formatOf(schema) }) },
  };
}

/** Leaves out options that the endpoint does not take. */
function without(body: Params, dropped: Adaptation['dropped']): Params {
  if (dropped.size === 0) return body;
  const isDropped = (name: string): boolean => (dropped as ReadonlySet<string>).has(name);
  const kept = Object.fromEntries(Object.entries(body).filter(([name]) => !isDropped(name)));
  const text = JSON.stringify(kept, (name, value: unknown) =>
    name === 'cache_control' && isDropped(name) ? undefined : value,
  );
  return JSON.parse(text) as Params;
}

/**
 * The instructions, followed by the system messages of the conversation.
 * @param inWords the schema of the answer is among them
 */
function systemOf(
  { instructions, messages, schema }: ModelRequest,
  inWords: boolean,
): Pick<Params, 'system'> {
  const said = messages.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  const format = schema && inWords ? schemaInWords(schema) : '';
  const texts = [instructions ?? '', ...said, format].filter((text) => text.trim() !== '');
  if (texts.length === 0) return {};
  return { system: markLast(texts.map((text): TextBlockParam => ({ type: 'text', text }))) };
}

/** Tools that were called earlier must be declared, even if no tool is offered any more. */
function toolsOf(request: ModelRequest): Pick<Params, 'tools' | 'tool_choice'> {
  const { tools = [], tool_choice, messages } = request;
  if (tools.length === 0) return formerTools(messages);
  return {
    tools: markLast(tools.map(toolParam)),
    ...(tool_choice && { tool_choice: choiceParam(tool_choice) }),
  };
}

function formerTools(messages: readonly Message[]): Pick<Params, 'tools' | 'tool_choice'> {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.tool_calls ?? []) : [],
  );
  const names = [...new Set(calls.map((call) => call.function.name))];
  if (names.length === 0) return {};
  const input_schema = { type: 'object' } as const;
  const description = 'Can not be used any more.';
  return {
    tools: markLast(names.map((name): Tool => ({ name, description, input_schema }))),
    tool_choice: { type: 'none' },
  };
}

function toolParam({ name, description, input_schema }: ModelTool): Tool {
  return { name, description, input_schema: { ...input_schema, type: 'object' } };
}

function choiceParam(choice: ToolChoice): NonNullable<Params['tool_choice']> {
  if (typeof choice !== 'string') return { type: 'tool', name: choice.name };
  return { type: choice === 'required' ? 'any' : choice };
}

/**
 * The vendor supports a subset of JSON Schema. Unsupported keywords are moved into the description
 * as text.
 */
function formatOf(schema: Readonly<Record<string, unknown>>): {
  type: 'json_schema';
  schema: Record<string, unknown>;
} {
  return { type: 'json_schema', schema: supported(schema) };
}

function supported(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  try {
    return transformJSONSchema(schema);
  } catch {
    return { ...schema }; // The vendor reports unsupported schemas itself.
  }
}

/**
 * Cache breakpoint of the vendor's prompt cache. A request may have four; the vendor looks up the
 * prefix before each.
 */
const MARK = { cache_control: { type: 'ephemeral' } } as const;
const MARKED_TURNS = 2;
const UNMARKABLE = new Set(['thinking', 'redacted_thinking']);

/** Sets a cache breakpoint on the last tool, or on the last text of a system prompt. */
function markLast<T extends ToolUnion | TextBlockParam>(items: readonly T[]): T[] {
  return items.map((item, i) => (i === items.length - 1 ? { ...item, ...MARK } : item));
}

/**
 * Sets cache breakpoints at the end of the user's last two turns: the newest for the next request,
 * the previous one because this request finds it in the cache.
 */
function markTurns(turns: readonly Turn[]): Turn[] {
  const marked = new Set(turns.filter(({ role }) => role === 'user').slice(-MARKED_TURNS));
  return turns.map((turn) =>
    marked.has(turn) ? { ...turn, content: markEnd(turn.content) } : turn,
  );
}

function markEnd(content: readonly ContentBlockParam[]): ContentBlockParam[] {
  const last = content.findLastIndex(({ type }) => !UNMARKABLE.has(type));
  return content.map((block, i) => (i === last ? { ...block, ...MARK } : block));
}

/** Tokens of a turn that are reserved for the answer after the thinking. */
const ANSWER_TOKENS = 1_024;

interface ThinkingParams {
  readonly thinking?: ThinkingConfigParam;
  readonly effort?: NonNullable<OutputConfig['effort']>;
}

/**
 * The thinking parameters of a request. Thinking is disabled if the model must call a tool, or in
 * the middle of a turn that began without thinking.
 * @throws AppError `thinking_budget_too_large`
 */
function thinkingParams(
  { thinking, tool_choice }: ModelRequest,
  asked: { traits: ModelTraits; max_tokens: number; turns: readonly Turn[] },
): ThinkingParams {
  const isForced = tool_choice === 'required' || typeof tool_choice === 'object';
  if (!thinking || isForced) return {};
  const { traits, max_tokens, turns } = asked;
  const isExact = typeof thinking !== 'string';
  if (isExact ? !traits.takes_budget : traits.thinking === 'adaptive')
    return { thinking: { type: 'adaptive', display: 'summarized' }, effort: effortOf(thinking) };
  if (!mayThink(turns)) return {};
  const budget_tokens = isExact
    ? exactBudget(thinking.budget_tokens, max_tokens)
    : Math.min(budgetOf(thinking), max_tokens - ANSWER_TOKENS);
  if (budget_tokens < MIN_THINKING_BUDGET) return {};
  return { thinking: { type: 'enabled', budget_tokens } };
}

function exactBudget(budget: number, max_tokens: number): number {
  if (budget < max_tokens) return budget;
  const message = `A thinking budget of ${budget} tokens leaves no room for an answer: the limit of the turn is ${max_tokens}, thinking included. Lower thinking.budget_tokens, or raise max_output_tokens or MODEL_MAX_OUTPUT_TOKENS.`;
  throw new AppError('invalid', 'thinking_budget_too_large', message);
}

/** Without a limit of the request's own, it is one that leaves room after the thinking. */
function limitOf({ max_output_tokens, thinking }: ModelRequest, traits: ModelTraits): number {
  if (max_output_tokens !== undefined) return max_output_tokens;
  const budget = typeof thinking === 'object' ? thinking.budget_tokens + ANSWER_TOKENS : 0;
  return traits.takes_budget ? Math.max(traits.max_tokens, budget) : traits.max_tokens;
}

/** With a budget, a turn that continues after tool calls must have begun with thinking. */
function mayThink(turns: readonly Turn[]): boolean {
  const goesOn = turns.at(-1)?.content[0]?.type === 'tool_result';
  const first = turns.at(-2)?.content[0]?.type;
  return !goesOn || first === 'thinking' || first === 'redacted_thinking';
}
