import type { ChatBody } from './fake-model.js';

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content', 'name'],
  user: ['role', 'content', 'name'],
  // thoughts come back to the model that sent them
  assistant: ['role', 'content', 'name', 'tool_calls', 'refusal', 'reasoning_content'],
  tool: ['role', 'content', 'tool_call_id'],
};
const DATA_URL = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** What a strict vendor would refuse in a request; undefined when it is fine. */
export function violationOf(
  body: ChatBody,
  /** Fields that a message of the model may have besides OpenAI's. */
  more: readonly string[] = [],
): string | undefined {
  if (typeof body.model !== 'string' || body.model === '')
    return 'you must provide a model parameter';
  if (!Array.isArray(body.messages) || body.messages.length === 0)
    return "[] is too short - 'messages'";
  return violationOfTools(body) ?? violationOfMessages(body.messages, more);
}

function violationOfTools(body: ChatBody): string | undefined {
  if (body.stream_options && !body.stream)
    return "'stream_options' is only allowed when 'stream' is enabled";
  if (body.tools === undefined) {
    return body.tool_choice === undefined
      ? undefined
      : "'tool_choice' is only allowed when 'tools' are specified";
  }
  if (!Array.isArray(body.tools) || body.tools.length === 0) return "[] is too short - 'tools'";
  const names = body.tools.map((tool: ChatBody) => tool?.function?.name);
  const bad = names.find((name: unknown) => typeof name !== 'string' || !NAME.test(name));
  if (bad !== undefined) return `invalid tool name ${String(bad)}`;
  return new Set(names).size === names.length ? undefined : 'tool names must be unique';
}

function violationOfMessages(
  messages: readonly ChatBody[],
  more: readonly string[],
): string | undefined {
  const seen = new Set<string>();
  let open = new Set<string>();
  for (const [at, message] of messages.entries()) {
    const fault =
      violationOfFields(message, more) ??
      violationOfOrder(message, open) ??
      violationOfCalls(message, seen);
    if (fault) return `messages[${at}]: ${fault}`;
    if (message.role === 'tool') open.delete(message.tool_call_id);
    if (message.role === 'assistant')
      open = new Set((message.tool_calls ?? []).map((call: ChatBody) => call.id));
  }
  return open.size > 0 ? unanswered(open) : undefined;
}

function violationOfFields(message: ChatBody, more: readonly string[]): string | undefined {
  const known = FIELDS[message.role];
  if (!known) return `unknown role ${String(message.role)}`;
  const extra = Object.keys(message).find((key) => !known.includes(key) && !more.includes(key));
  if (extra) return `unknown field ${extra}`;
  if (message.content === null && message.role === 'assistant' && message.tool_calls)
    return undefined;
  if (message.role === 'user' && Array.isArray(message.content))
    return violationOfParts(message.content);
  return typeof message.content === 'string' ? undefined : 'content must be a string';
}

/** Only what a user says may have images in it, and they come as they are. */
function violationOfParts(parts: readonly ChatBody[]): string | undefined {
  if (parts.length === 0) return 'content must not be empty';
  const known = ({ type, text, image_url }: ChatBody): boolean =>
    type === 'text'
      ? typeof text === 'string'
      : type === 'image_url' && DATA_URL.test(image_url.url);
  return parts.every(known) ? undefined : 'invalid content part';
}

function violationOfOrder(message: ChatBody, open: ReadonlySet<string>): string | undefined {
  if (message.role !== 'tool') return open.size > 0 ? unanswered(open) : undefined;
  return open.has(message.tool_call_id)
    ? undefined
    : `role 'tool' must be a response to a preceding message with 'tool_calls': ${String(message.tool_call_id)}`;
}

function unanswered(open: ReadonlySet<string>): string {
  return `an assistant message with 'tool_calls' must be followed by tool messages, missing: ${[...open].join(', ')}`;
}

/** Adds the message's call ids to `seen`. */
function violationOfCalls(message: ChatBody, seen: Set<string>): string | undefined {
  if (message.tool_calls === undefined) return undefined;
  if (!Array.isArray(message.tool_calls) || message.tool_calls.length === 0)
    return "[] is too short - 'tool_calls'";
  for (const call of message.tool_calls) {
    if (typeof call.id !== 'string' || call.id === '') return 'a tool call without id';
    if (seen.has(call.id)) return `duplicate tool call id ${call.id}`;
    seen.add(call.id);
    if (call.type !== 'function' || !NAME.test(call.function?.name))
      return `invalid tool call ${call.id}`;
    if (!isObjectText(call.function.arguments))
      return `arguments of ${call.id} are not a JSON object`;
  }
  return undefined;
}

function isObjectText(text: unknown): boolean {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
