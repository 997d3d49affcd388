import { AppError } from '../../kernel/app-error.js';
import type { ModelRequest, ModelTool } from '../../models/model-provider.js';
import type { Message } from '../../protocol/message.js';
import type { GenerateOptions } from '../../agents/agent-context.js';
import type { AgentScope } from '../scope/agent-scope.js';

/** A conversation longer than this, in characters, is sent to no model. */
const MAX_CONVERSATION = 4_000_000;

/**
 * What a provider is asked for a turn.
 *
 * @throws AppError `input_too_large`
 */
export function turnRequest(
  scope: AgentScope,
  options: GenerateOptions,
  { model, messages }: Pick<ModelRequest, 'model' | 'messages'>,
): ModelRequest {
  const { tools, tool_choice, instructions, schema } = options;
  const { defaults } = scope.services.models;
  const { max_output_tokens = defaults.max_output_tokens, thinking = defaults.thinking } = options;
  checkSize(messages);
  return {
    model,
    messages,
    tools: toolsOffered(scope, tools),
    ...(tool_choice !== undefined && { tool_choice }),
    ...(instructions !== undefined && { instructions }),
    ...(schema !== undefined && { schema }),
    ...(max_output_tokens !== undefined && { max_output_tokens }),
    ...(thinking !== undefined && { thinking }),
  };
}

/** Those asked for, by name; without, the server's and the client's. @throws AppError `unknown_tool` */
export function toolsOffered(
  { interaction, services }: AgentScope,
  names: readonly string[] | undefined,
): readonly ModelTool[] {
  const { client_tools } = interaction.settings;
  const { tools } = services;
  if (!names) return [...tools.definitions(), ...client_tools];
  const fromClient = client_tools.filter(({ name }) => names.includes(name));
  const isServers = (name: string): boolean => !fromClient.some((tool) => tool.name === name);
  return [...tools.definitions(names.filter(isServers)), ...fromClient];
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
