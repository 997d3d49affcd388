import { createHash } from 'node:crypto';
import type {
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type {
  Image,
  AssistantMessage,
  Message,
  ToolMessage,
  UserMessage,
} from '../../protocol/message.js';
import type { Adaptation } from '../profile/adaptation.js';
import { restoreFields, type Author } from './kept-fields.js';
import { alternating } from './roles.js';

export interface MessageOptions {
  /** The model and the endpoint that get the messages. */
  readonly author: Author;
  readonly adaptation: Pick<
    Adaptation,
    'alternate' | 'bridge' | 'call_ids' | 'returns_kept' | 'demanded'
  >;
}

/**
 * Converts a conversation for Chat Completions. Tool messages can contain only text, so images of
 * tool results follow in a user message. Messages of the user in a row are one.
 */
export function messageParams(
  messages: readonly Message[],
  options: MessageOptions,
): ChatCompletionMessageParam[] {
  const params: ChatCompletionMessageParam[] = [];
  let images: ChatCompletionContentPart[] = [];
  const show = (): void => {
    if (images.length > 0) params.push({ role: 'user', content: images });
    images = [];
  };
  for (const message of messages) {
    if (message.role !== 'tool') show(); // all results of a turn come before the images
    params.push(messageParam(withIds(message, options.adaptation), options));
    if (message.role === 'tool') images.push(...imageParts(message));
  }
  show();
  return alternating(params, options.adaptation);
}

const SHORT_ID = /^[a-zA-Z0-9]{9}$/;

/** The message with ids of calls that its vendor takes, the same for a call and its result. */
function withIds(message: Message, { call_ids }: MessageOptions['adaptation']): Message {
  if (call_ids === 'any') return message;
  if (message.role === 'tool') return { ...message, tool_call_id: shortId(message.tool_call_id) };
  if (message.role !== 'assistant' || !message.tool_calls) return message;
  const tool_calls = message.tool_calls.map((call) => ({ ...call, id: shortId(call.id) }));
  return { ...message, tool_calls };
}

function shortId(id: string): string {
  if (SHORT_ID.test(id)) return id;
  return createHash('sha256').update(id).digest('hex').slice(0, 9);
}

function messageParam(message: Message, options: MessageOptions): ChatCompletionMessageParam {
  switch (message.role) {
    case 'assistant':
      return assistantParam(message, options);
    case 'tool': {
      const { role, tool_call_id, content } = message;
      return { role, tool_call_id, content };
    }
    case 'user':
      return userParam(message);
    case 'system':
      return message;
  }
}

function userParam({ role, content, images = [] }: UserMessage): ChatCompletionMessageParam {
  if (images.length === 0) return { role, content };
  return { role, content: [{ type: 'text', text: content }, ...images.map(imagePart)] };
}

function assistantParam(
  message: AssistantMessage,
  { author, adaptation: { returns_kept, demanded } }: MessageOptions,
): ChatCompletionMessageParam {
  const { content, tool_calls = [] } = message;
  const kept = returns_kept ? restoreFields(message, author) : undefined;
  const needsSignature = demanded.has('thought_signature');
  const calls = tool_calls.map((call, at) => ({
    ...(needsSignature && at === 0 && UNSIGNED),
    ...kept?.calls[at],
    ...call,
  }));
  return {
    ...(demanded.has('reasoning_content') && NO_THOUGHTS),
    ...kept?.message,
    role: 'assistant',
    content: calls.length > 0 ? content : (content ?? ''),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** For servers that refuse messages without thoughts. Some take an empty text for none. */
const NO_THOUGHTS = { reasoning_content: ' ' };
/** The value that Gemini documents for calls that it has not signed. */
const UNSIGNED = {
  extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } },
};

function imageParts({ tool_call_id, images = [] }: ToolMessage): ChatCompletionContentPart[] {
  if (images.length === 0) return [];
  return [
    { type: 'text', text: `What the tool call ${tool_call_id} shows:` },
    ...images.map(imagePart),
  ];
}

function imagePart({ media_type, data }: Image): ChatCompletionContentPart {
  return { type: 'image_url', image_url: { url: `data:${media_type};base64,${data}` } };
}
