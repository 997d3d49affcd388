import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { Message } from '../../protocol/message.js';
import type { ModelRequest, ModelTool, ToolChoice } from '../model-provider.js';
import type { Adaptation } from '../profile/adaptation.js';
import { schemaInWords } from '../schema/schema-in-words.js';
import { effortOf } from '../thinking-effort.js';
import { messageParams } from './message-params.js';

export type ChatParams = ChatCompletionCreateParamsStreaming;

/** The endpoint of a request, and how it takes requests. */
export interface Receiver {
  readonly endpoint: string;
  readonly adaptation: Adaptation;
}

/**
 * The body of a streamed chat completion. Unused options are left out, because many compatible
 * servers support only part of the API.
 */
export function chatRequest(request: ModelRequest, receiver: Receiver): ChatParams {
  const { dropped, limit_option, max_limit, answer_format } = receiver.adaptation;
  const { max_output_tokens, temperature, top_p, thinking, schema } = request;
  return {
    model: request.model,
    messages: messagesOf(request, receiver),
    stream: true,
    ...(!dropped.has('stream_options') && { stream_options: { include_usage: true } }),
    ...toolsOf(request, dropped.has('tool_choice')),
    ...(schema && answerFormat(schema, answer_format)),
    ...(thinking && !dropped.has('reasoning_effort') && { reasoning_effort: effortOf(thinking) }),
    ...(temperature !== undefined && !dropped.has('temperature') && { temperature }),
    ...(top_p !== undefined && !dropped.has('top_p') && { top_p }),
    ...(max_output_tokens && { [limit_option]: Math.min(max_output_tokens, max_limit) }),
  };
}

/**
 * The instructions, followed by the system messages of the conversation, are its first message:
 * many templates refuse others.
 */
function messagesOf(
  { model, instructions = '', messages, schema }: ModelRequest,
  { endpoint, adaptation }: Receiver,
): ChatCompletionMessageParam[] {
  const texts = [
    instructions,
    ...messages.flatMap(({ role, content }) => (role === 'system' ? [content ?? ''] : [])),
    ...(schema && adaptation.answer_format !== 'json_schema' ? [schemaInWords(schema)] : []),
  ];
  const content = texts.filter((text) => text !== '').join('\n\n');
  const said = messages.filter((message) => message.role !== 'system' && !isSilent(message));
  if (content === '') return messageParams(said, { author: { model, endpoint }, adaptation });
  if (adaptation.system_role === 'system')
    return [
      { role: 'system', content },
      ...messageParams(said, { author: { model, endpoint }, adaptation }),
    ];
  const all = [{ role: 'user', content } as const, ...said];
  return messageParams(all, { author: { model, endpoint }, adaptation });
}

/** Servers refuse a message of the model that says nothing, as of a turn that was cancelled. */
function isSilent({ role, content, ...message }: Message): boolean {
  const calls = 'tool_calls' in message ? message.tool_calls : undefined;
  return role === 'assistant' && !content?.trim() && !calls?.length;
}

/** Vendors reject an empty list of tools, and a tool choice without tools. */
function toolsOf(
  { tools, tool_choice }: ModelRequest,
  isFree: boolean,
): Pick<ChatParams, 'tools' | 'tool_choice'> {
  if (!tools?.length) return {};
  return {
    tools: tools.map(toolParam),
    ...(tool_choice && !isFree && { tool_choice: choiceParam(tool_choice) }),
  };
}

function toolParam({
  name,
  description,
  input_schema,
}: ModelTool): NonNullable<ChatParams['tools']>[number] {
  return { type: 'function', function: { name, description, parameters: input_schema } };
}

function choiceParam(choice: ToolChoice): NonNullable<ChatParams['tool_choice']> {
  if (typeof choice === 'string') return choice;
  return { type: 'function', function: { name: choice.name } };
}

function answerFormat(
  schema: Record<string, unknown>,
  format: Adaptation['answer_format'],
): Pick<ChatParams, 'response_format'> {
  if (format === 'prompt') return {};
  if (format === 'json_object') return { response_format: { type: 'json_object' } };
  return { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } };
}
