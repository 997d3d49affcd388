/**
 * Names of OpenTelemetry's semantic conventions for generative AI, v0.1.0 of
 * `semantic-conventions-genai`. They still change, so that they are listed here, with their
 * version, and nowhere else.
 */
export const GEN_AI = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  conversation: 'gen_ai.conversation.id',
  agent: 'gen_ai.agent.name',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  tool: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCall: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
} as const;

export const GEN_AI_METRICS = {
  inferenceDuration: 'gen_ai.client.inference.duration',
  inputTokens: 'gen_ai.client.inference.usage.input_tokens',
  outputTokens: 'gen_ai.client.inference.usage.output_tokens',
  cachedTokens: 'gen_ai.client.inference.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.client.inference.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.client.inference.usage.reasoning.output_tokens',
  toolDuration: 'gen_ai.execute_tool.duration',
} as const;

/** `openai/gpt-5-mini` → `openai` and `gpt-5-mini` */
export function splitModel(model: string): readonly [provider: string, name: string] {
  const [provider = '', ...name] = model.split('/');
  return [provider, name.join('/')];
}
