import type { ModelEvent } from '../../../src/models/model-provider.js';
import type { FinishReason } from '../../../src/protocol/events.js';
import type { ToolCall } from '../../../src/protocol/message.js';

/** A tool call as a provider reports it. */
export interface CalledTool {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export const USAGE = { input_tokens: 10, output_tokens: 3 };

/** A turn that answers, its text cut into these deltas. */
export function answerTurn(...deltas: string[]): ModelEvent[] {
  return [...deltas.map(textDelta), completed(deltas.join(''))];
}

/** A turn that says something and calls tools, arguments in two deltas each. */
export function callTurn(calls: readonly CalledTool[], text = ''): ModelEvent[] {
  const events = calls.flatMap((call, index): ModelEvent[] => {
    const half = Math.floor(call.arguments.length / 2);
    const deltas = [call.arguments.slice(0, half), call.arguments.slice(half)];
    return [
      { type: 'tool_call_started', index, id: call.id, name: call.name },
      ...deltas.map((delta): ModelEvent => ({ type: 'tool_call_args_delta', index, delta })),
      { type: 'tool_call_ready', index, ...call },
    ];
  });
  return [...(text === '' ? [] : [textDelta(text)]), ...events, completed(text, calls)];
}

export function textDelta(delta: string): ModelEvent {
  return { type: 'text_delta', delta };
}

export function thinkingDelta(delta: string): ModelEvent {
  return { type: 'thinking_delta', delta };
}

export function completed(
  content: string,
  calls: readonly CalledTool[] = [],
  finish_reason: FinishReason = calls.length > 0 ? 'tool_calls' : 'stop',
): ModelEvent {
  const tool_calls = calls.map(({ id, name, arguments: args }): ToolCall => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }));
  return {
    type: 'response_completed',
    message: { role: 'assistant', content, ...(calls.length > 0 && { tool_calls }) },
    finish_reason,
    usage: USAGE,
  };
}
