import { setTimeout as delay } from 'node:timers/promises';
import type { Usage } from '../../protocol/interaction.js';
import type { Message, ToolCall } from '../../protocol/message.js';
import { ModelProvider, type ModelEvent, type ModelRequest } from '../model-provider.js';
import { demoTurn } from './demo-script.js';
import type { DemoCall, DemoTurn } from './demo-script.js';

export interface DemoOptions {
  /** Delay between two words, in milliseconds. */
  readonly delayMs?: number;
}

const DEFAULT_DELAY_MS = 20;
const CHARS_PER_TOKEN = 4;

/**
 * A scripted model: the same answer for the same message, without an API key or a network. It
 * accepts any model name, such as `demo/script`.
 */
export class DemoProvider extends ModelProvider {
  readonly name = 'demo';
  private readonly delayMs: number;

  constructor({ delayMs = DEFAULT_DELAY_MS }: DemoOptions = {}) {
    super();
    this.delayMs = delayMs;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const turn = demoTurn(request);
    for (const event of eventsOf(turn, request)) {
      yield event;
      await this.pause(turn, signal);
    }
  }

  private async pause({ slowness = 1 }: DemoTurn, signal: AbortSignal): Promise<void> {
    if (this.delayMs > 0)
      await delay(this.delayMs * slowness, undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
  }
}

function* eventsOf(turn: DemoTurn, request: ModelRequest): Generator<ModelEvent> {
  for (const delta of wordsOf(turn.thinking)) yield { type: 'thinking_delta', delta };
  for (const delta of wordsOf(turn.text)) yield { type: 'text_delta', delta };
  const tool_calls = toolCalls(turn.calls ?? [], request.messages);
  for (const [index, call] of tool_calls.entries()) yield* callEvents(index, call);
  const hasCalls = tool_calls.length > 0;
  yield {
    type: 'response_completed',
    message: {
      role: 'assistant',
      content: turn.text ?? (hasCalls ? null : ''),
      ...(hasCalls && { tool_calls }),
    },
    finish_reason: hasCalls ? 'tool_calls' : 'stop',
    usage: usageOf(turn, request),
  };
}

function* callEvents(index: number, call: ToolCall): Generator<ModelEvent> {
  const {
    id,
    function: { name, arguments: text },
  } = call;
  yield { type: 'tool_call_started', index, id, name };
  for (const delta of wordsOf(text)) yield { type: 'tool_call_args_delta', index, delta };
  yield { type: 'tool_call_ready', index, id, name, arguments: text };
}

/** Ids continue after those of the calls in the conversation. */
function toolCalls(calls: readonly DemoCall[], messages: readonly Message[]): ToolCall[] {
  const before = messages.reduce(
    (sum, m) => sum + (m.role === 'assistant' ? (m.tool_calls?.length ?? 0) : 0),
    0,
  );
  return calls.map(({ name, arguments: input }, n) => ({
    id: `demo_${before + n + 1}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
}

/** Splits into words, each with its leading white space. */
function wordsOf(text = ''): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\S)(?=\s)/);
}

function usageOf(turn: DemoTurn, { messages, instructions = '' }: ModelRequest): Usage {
  const asked = messages.reduce(
    (sum, { content }) => sum + (content?.length ?? 0),
    instructions.length,
  );
  const said = (turn.thinking ?? '') + (turn.text ?? '') + JSON.stringify(turn.calls ?? '');
  return {
    input_tokens: Math.ceil(asked / CHARS_PER_TOKEN),
    output_tokens: Math.ceil(said.length / CHARS_PER_TOKEN),
  };
}
