import type { ChatBody } from './fake-model.js';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ID = /^[a-zA-Z0-9_-]+$/;
const MAX_MARKS = 4;
const THOUGHTS = ['thinking', 'redacted_thinking'];
/** The fields of each kind of block, besides `type` and `cache_control`. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['source'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  tool_use: ['id', 'name', 'input'],
  tool_result: ['tool_use_id', 'content'],
  server_tool_use: ['id', 'name', 'input', 'caller'],
  web_search_tool_result: ['tool_use_id', 'content', 'caller'],
};
const ROLES: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'tool_result'],
  assistant: [...THOUGHTS, 'text', 'tool_use', 'server_tool_use', 'web_search_tool_result'],
};

/**
 * What the vendor would refuse in a request; undefined when it is fine. It never asks a model to go
 * on but after a pause.
 */
export function violationOfMessage(body: ChatBody): string | undefined {
  if (typeof body.model !== 'string' || body.model === '') return 'model: field required';
  if (!Number.isInteger(body.max_tokens) || body.max_tokens < 1)
    return 'max_tokens: field required';
  return (
    violationOfTools(body) ??
    violationOfSystem(body.system) ??
    violationOfThinking(body) ??
    violationOfMarks(body) ??
    violationOfTurns(body)
  );
}

function violationOfTools({ tools, tool_choice, messages }: ChatBody): string | undefined {
  if (tools === undefined) {
    if (tool_choice !== undefined) return 'tool_choice may only be specified while providing tools';
    const isUsed = JSON.stringify(messages ?? []).includes('"type":"tool_use"');
    return isUsed ? 'Requests which include `tool_use` blocks must define tools' : undefined;
  }
  if (!Array.isArray(tools) || tools.length === 0) return 'tools: empty';
  const names = tools.map((tool: ChatBody) => tool.name);
  const bad = tools.find(
    (tool: ChatBody) => !NAME.test(tool.name) || tool.input_schema?.type !== 'object',
  );
  if (bad) return `tools: ${JSON.stringify(bad)}`;
  return new Set(names).size === names.length ? undefined : 'tools: Tool names must be unique.';
}

function violationOfSystem(system: unknown): string | undefined {
  if (system === undefined) return undefined;
  if (!Array.isArray(system) || system.length === 0) return 'system: empty';
  return first(system, violationOfBlock);
}

function violationOfThinking({
  thinking,
  max_tokens,
  tool_choice,
  messages,
}: ChatBody): string | undefined {
  if (thinking?.type !== 'enabled') return undefined;
  if (thinking.budget_tokens < 1024 || thinking.budget_tokens >= max_tokens)
    return 'thinking: budget';
  if (['any', 'tool'].includes(tool_choice?.type))
    return 'Thinking may not be enabled when tool_choice forces tool use.';
  const [asked, goesOn] = messages.slice(-2);
  if (goesOn?.content[0]?.type !== 'tool_result' || THOUGHTS.includes(asked.content[0].type))
    return undefined;
  return 'a final `assistant` message must start with a thinking block';
}

function violationOfMarks({
  tools = [],
  system = [],
  messages = [],
}: ChatBody): string | undefined {
  const blocks = [...tools, ...system, ...messages.flatMap((turn: ChatBody) => turn.content)];
  const marked = blocks.filter((block: ChatBody) => block.cache_control !== undefined);
  if (marked.length > MAX_MARKS)
    return `A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`;
  const thought = marked.find(({ type }: ChatBody) => THOUGHTS.includes(type));
  return thought && 'cache_control cannot be set on thinking blocks';
}

function violationOfTurns({ messages }: ChatBody): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0)
    return 'messages: at least one message is required';
  const ids = new Set<string>();
  return (
    messages.reduce<string | undefined>((fault, turn: ChatBody, at) => {
      const here = fault ?? violationOfTurn(turn, messages[at - 1], ids);
      return here !== undefined && fault === undefined ? `messages.${at}: ${here}` : here;
    }, undefined) ?? violationOfEnd(messages.at(-1))
  );
}

function violationOfTurn(
  turn: ChatBody,
  before: ChatBody | undefined,
  ids: Set<string>,
): string | undefined {
  const { role, content } = turn;
  if (role !== (before?.role === 'user' ? 'assistant' : 'user'))
    return `${role} does not alternate`;
  if (!Array.isArray(content) || content.length === 0) return 'content: empty';
  const stray = content.find((block: ChatBody) => !ROLES[role]!.includes(block.type));
  if (stray) return `unexpected ${stray.type} of the ${role}`;
  if (role === 'assistant' && THOUGHTS.includes(content.at(-1).type))
    return 'The final block in an assistant message cannot be `thinking`.';
  return (
    first(content, violationOfBlock) ??
    violationOfResults(content, before?.content ?? []) ??
    violationOfIds(content, ids)
  );
}

/**
 * Each call has its result in the next turn, before anything else, and no result comes without its
 * call.
 */
function violationOfResults(
  content: readonly ChatBody[],
  before: readonly ChatBody[],
): string | undefined {
  const wanted = before.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
  const results = content.filter(({ type }) => type === 'tool_result');
  const given = results.map(({ tool_use_id }) => tool_use_id);
  if (given.length !== wanted.length || wanted.some((id) => !given.includes(id)))
    return `\`tool_use\` ids [${wanted.join()}] were found with \`tool_result\` blocks for [${given.join()}] immediately after`;
  const isFirst = content.slice(0, results.length).every(({ type }) => type === 'tool_result');
  return isFirst ? undefined : 'tool_result blocks must come first';
}

function violationOfIds(content: readonly ChatBody[], ids: Set<string>): string | undefined {
  for (const { type, id } of content) {
    if (type !== 'tool_use') continue;
    if (ids.has(id)) return '`tool_use` ids must be unique';
    ids.add(id);
  }
  return undefined;
}

/** Only a turn that was paused ends with the model's. */
function violationOfEnd(last: ChatBody): string | undefined {
  if (last.role === 'user') return undefined;
  const end = last.content.at(-1);
  if (end.type === 'tool_use') return 'tool_use without tool_result';
  if (end.type === 'text' && end.text !== end.text.trimEnd())
    return 'final assistant content cannot end with trailing whitespace';
  return last.content.some(({ type }: ChatBody) => type === 'server_tool_use')
    ? undefined
    : 'This model does not support assistant message prefill.';
}

function violationOfBlock(block: ChatBody): string | undefined {
  const known = FIELDS[block.type];
  if (!known) return `unknown block ${String(block.type)}`;
  const fields = Object.keys(block).filter(
    (field) => field !== 'type' && field !== 'cache_control',
  );
  const extra = fields.find((field) => !known.includes(field));
  if (extra) return `${block.type}.${extra}: Extra inputs are not permitted`;
  switch (block.type) {
    case 'text':
      return block.text?.trim()
        ? undefined
        : 'text content blocks must contain non-whitespace text';
    case 'image':
      return block.source?.type === 'base64' && block.source.data ? undefined : 'image: source';
    case 'thinking':
      return typeof block.thinking === 'string' && block.signature
        ? undefined
        : 'thinking: signature';
    case 'tool_use':
      return violationOfCall(block);
    case 'tool_result':
      return violationOfResult(block.content);
    default:
      return undefined;
  }
}

/** Text, or blocks of text and images. */
function violationOfResult(content: unknown): string | undefined {
  if (content === undefined) return undefined;
  if (typeof content === 'string')
    return content.trim() === '' ? 'tool_result: empty text' : undefined;
  if (!Array.isArray(content)) return 'tool_result: content';
  if (content.length === 0) return 'tool_result: empty';
  const odd = content.find(({ type }: ChatBody) => type !== 'text' && type !== 'image');
  return odd ? `tool_result: unexpected ${odd.type}` : first(content, violationOfBlock);
}

function violationOfCall({ id, name, input }: ChatBody): string | undefined {
  if (!ID.test(id)) return `tool_use.id: ${String(id)}`;
  if (!NAME.test(name)) return `tool_use.name: ${String(name)}`;
  return typeof input === 'object' && input !== null && !Array.isArray(input)
    ? undefined
    : 'tool_use.input: Input should be a valid dictionary';
}

function first<T>(
  items: readonly T[],
  faultOf: (item: T) => string | undefined,
): string | undefined {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault) return fault;
  }
  return undefined;
}
