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

/**
 * Converts a conversation for Chat Completions. Tool messages can contain only text, so images of
 * tool results follow in a user message.
 */
export function messageParams(messages: readonly Message[]): ChatCompletionMessageParam[] {
  const params: ChatCompletionMessageParam[] = [];
  let images: ChatCompletionContentPart[] = [];
  const show = (): void => {
    if (images.length > 0) params.push({ role: 'user', content: images });
    images = [];
  };
  for (const message of messages) {
    if (message.role !== 'tool') show(); // all results of a turn come before the images
    params.push(messageParam(message));
    if (message.role === 'tool') images.push(...imageParts(message));
  }
  show();
  return params;
}

function messageParam(message: Message): ChatCompletionMessageParam {
  switch (message.role) {
    case 'assistant':
      return assistantParam(message);
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

function assistantParam({ content, tool_calls }: AssistantMessage): ChatCompletionMessageParam {
  if (!tool_calls?.length) return { role: 'assistant', content: content ?? '' };
  return { role: 'assistant', content, tool_calls: [...tool_calls] };
}

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
