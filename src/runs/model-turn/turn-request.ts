import { AppError } from '../../kernel/app-error.js';
import type { ModelRequest, ModelTool, ModelEvent } from '../../models/model-provider.js';
import { cutText } from '../../kernel/text/cut-text.js';
import type { Message } from '../../protocol/message.js';
import { thinking as thinkingSchema } from '../../protocol/wire/fields.js';
import { THINKING_VALUES } from '../../protocol/thinking.js';
import type { GenerateOptions } from '../../agents/agent-context.js';
import { TELL_AGENT } from '../../tools/agent/tell-agent.tool.js';
import type { AgentScope } from '../scope/agent-scope.js';

/** Maximum length of a conversation that is sent to a model, in characters. */
const MAX_CONVERSATION = 4_000_000;

/**
 * The request of one turn.
 *
 * @throws AppError `input_too_large`, `invalid_thinking`
 */
export function turnRequest(
  scope: AgentScope,
  options: GenerateOptions,
  { model, messages }: Pick<ModelRequest, 'model' | 'messages'>,
): ModelRequest {
  const { tools, tool_choice, instructions, schema, temperature, top_p } = options;
  const { interaction, services } = scope.run;
  const { defaults } = services.models;
  const { max_output_tokens = defaults.max_output_tokens } = options;
  const thinking = options.thinking ?? interaction.settings.thinking ?? defaults.thinking;
  checkThinking(options.thinking);
  checkSize(messages);
  return {
    model,
    messages,
    tools: toolsOffered(scope, tools),
    preferred_tools: tools ?? ownTools(scope),
    ...(tool_choice !== undefined && { tool_choice }),
    ...(instructions !== undefined && { instructions }),
    ...(schema !== undefined && { schema }),
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { top_p }),
    ...(max_output_tokens !== undefined && { max_output_tokens }),
    ...(thinking !== undefined && { thinking }),
  };
}

/**
 * The named tools; without names, all tools of the server and of the client. An agent without a
 * parent is offered `tell_agent` by name only.
 * @throws AppError `unknown_tool`
 */
export function toolsOffered(
  { run, depth }: AgentScope,
  names: readonly string[] | undefined,
): readonly ModelTool[] {
  const { client_tools } = run.interaction.settings;
  const { tools } = run.services;
  if (!names) {
    const all = tools.definitions();
    const own = depth > 0 ? all : all.filter(({ name }) => name !== TELL_AGENT);
    return [...own, ...client_tools];
  }
  const fromClient = client_tools.filter(({ name }) => names.includes(name));
  const isServers = (name: string): boolean => !fromClient.some((tool) => tool.name === name);
  return [...tools.definitions(names.filter(isServers)), ...fromClient];
}

/** The tools that the client brings, and those that are no tool server's. */
function ownTools({ run: { interaction, services } }: AgentScope): readonly string[] {
  const { client_tools } = interaction.settings;
  return [...client_tools.map(({ name }) => name), ...services.tools.ownNames()];
}

/** That of a start and of a chat was checked when it came. */
function checkThinking(ofCode: GenerateOptions['thinking']): void {
  if (ofCode === undefined || thinkingSchema.safeParse(ofCode).success) return;
  throw new AppError(
    'invalid',
    'invalid_thinking',
    `The agent's code asks for a turn with the thinking ${cutText(JSON.stringify(ofCode) ?? typeof ofCode, 100)}. It has to be ${THINKING_VALUES}.`,
  );
}

function checkSize(messages: readonly Message[]): void {
  let size = 0;
  for (const message of messages) size += message.content?.length ?? 0;
  if (size > MAX_CONVERSATION)
    throw new AppError(
      'too_large',
      'input_too_large',
      `The conversation has ${size} characters, more than the ${MAX_CONVERSATION} that are sent to a model. Start a new chat, or edit an earlier message to go on from there.`,
    );
}

export function showsImages({ messages }: ModelRequest): boolean {
  return messages.some((message) => 'images' in message && message.images !== undefined);
}

/** The same request without the images of tool results. */
export function dropImages(request: ModelRequest): ModelRequest {
  const messages = request.messages.map((message) => {
    if (!('images' in message)) return message;
    const { images: _, ...rest } = message;
    return rest;
  });
  return { ...request, messages };
}

/** With `tool_choice: 'none'`, drops the tool calls that some models make anyway. */
export function dropToolCalls(
  { tool_choice }: ModelRequest,
  events: AsyncIterable<ModelEvent>,
): AsyncIterable<ModelEvent> {
  return tool_choice === 'none' ? withoutToolCalls(events) : events;
}

async function* withoutToolCalls(events: AsyncIterable<ModelEvent>): AsyncIterable<ModelEvent> {
  for await (const event of events) {
    if (event.type === 'response_completed') yield withoutCalls(event);
    else if (!event.type.startsWith('tool_call_')) yield event;
  }
}

function withoutCalls(
  completed: Extract<ModelEvent, { type: 'response_completed' }>,
): typeof completed {
  const { role, content, tool_calls } = completed.message;
  if (!tool_calls?.length) return completed;
  // Provider data is dropped, too: it repeats the calls.
  return { ...completed, message: { role, content }, finish_reason: 'stop' };
}
