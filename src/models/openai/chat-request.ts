import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { ModelRequest, ModelTool, ToolChoice } from '../model-provider.js';
import { messageParams } from './message-params.js';

type Params = ChatCompletionCreateParamsStreaming;

/**
 * The body of a streamed chat completion. Unused options are left out, because many compatible
 * servers support only part of the API.
 */
export function chatRequest(request: ModelRequest): Params {
  return {
    model: request.model,
    messages: messagesOf(request),
    stream: true,
    stream_options: { include_usage: true },
    ...toolsOf(request),
    ...(request.schema && { response_format: answerFormat(request.schema) }),
    ...(request.thinking && { reasoning_effort: request.thinking }),
    ...(request.max_output_tokens && { max_completion_tokens: request.max_output_tokens }),
  };
}

function messagesOf({ instructions, messages }: ModelRequest): ChatCompletionMessageParam[] {
  const system: ChatCompletionMessageParam[] = instructions
    ? [{ role: 'system', content: instructions }]
    : [];
  return [...system, ...messageParams(messages)];
}

/** Vendors reject an empty list of tools, and a tool choice without tools. */
function toolsOf({ tools, tool_choice }: ModelRequest): Pick<Params, 'tools' | 'tool_choice'> {
  if (!tools?.length) return {};
  return {
    tools: tools.map(toolParam),
    ...(tool_choice && { tool_choice: choiceParam(tool_choice) }),
  };
}

function toolParam({
  name,
  description,
  input_schema,
}: ModelTool): NonNullable<Params['tools']>[number] {
  return { type: 'function', function: { name, description, parameters: input_schema } };
}

function choiceParam(choice: ToolChoice): NonNullable<Params['tool_choice']> {
  if (typeof choice === 'string') return choice;
  return { type: 'function', function: { name: choice.name } };
}

function answerFormat(schema: Record<string, unknown>): Params['response_format'] {
  return { type: 'json_schema', json_schema: { name: 'answer', schema } };
}
