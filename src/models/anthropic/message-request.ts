import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import type {
  MessageCreateParamsStreaming,
  TextBlockParam,
  Tool,
} from '@anthropic-ai/sdk/resources/messages';
import type { Message } from '../../protocol/message.js';
import type { ModelRequest, ModelTool, ToolChoice } from '../model-provider.js';
import { markLast, markTurns } from './cache-marks.js';
import { messageParams } from './message-params.js';
import { modelTraits } from './model-traits.js';
import { thinkingParams } from './thinking-params.js';

type Params = MessageCreateParamsStreaming;

/**
 * The body of a streamed message.
 * @throws AppError `unsupported_content`
 */
export function messageRequest(request: ModelRequest): Params {
  const { model, messages, schema } = request;
  const traits = modelTraits(model);
  const max_tokens = request.max_output_tokens ?? traits.max_tokens;
  const turns = messageParams(messages, model);
  const { thinking, effort } = thinkingParams(request, { traits, max_tokens, turns });
  return {
    model,
    max_tokens,
    stream: true,
    messages: markTurns(turns),
    ...systemOf(request),
    ...toolsOf(request),
    ...(thinking && { thinking }),
    ...((schema ?? effort) && {
      output_config: { ...(effort && { effort }), ...(schema && { format: formatOf(schema) }) },
    }),
  };
}

/** The instructions, then what the conversation says as the system. */
function systemOf({ instructions, messages }: ModelRequest): Pick<Params, 'system'> {
  const said = messages.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  const texts = [instructions ?? '', ...said].filter((text) => text.trim() !== '');
  if (texts.length === 0) return {};
  return { system: markLast(texts.map((text): TextBlockParam => ({ type: 'text', text }))) };
}

/** Tools that were called have to be known, also where none is offered any more. */
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

/** The vendor takes part of JSON Schema: what it doesn't becomes words of the description. */
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
    return { ...schema }; // the vendor says what it doesn't like
  }
}
