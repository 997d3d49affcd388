import type { FakeHttpTurn, FakeStep } from './fake-model.js';
import type { FakeCall } from './fake-openai-turn.js';
import { pieces } from '../pieces.js';

/** What the fake model does in one turn. */
export interface FakeMessage extends FakeHttpTurn {
  readonly thinking?: string;
  /** Of the thoughts; `sig_<n>` unless given. */
  readonly signature?: string;
  /** Thoughts that came encrypted, after the readable ones. */
  readonly redacted?: string;
  /** Blocks of the vendor's own tools, each sent whole. */
  readonly blocks?: readonly object[];
  /** Text with anything in between: `['Hel', gate, 'lo', { cut: true }]`. */
  readonly text?: string | readonly (string | FakeStep)[];
  readonly calls?: readonly FakeCall[];
  /** Characters per delta; 4 unless given. */
  readonly chunk_size?: number;
  /** `tool_use` or `end_turn` unless given; null leaves out how the message ends. */
  readonly stop_reason?: string | null;
  readonly stop_details?: object;
  /** Of the start; the end tells `output_tokens: 5`. */
  readonly usage?: object;
  /** Replaces everything that the other fields would send. */
  readonly steps?: readonly FakeStep[];
}

/** The wire steps of a turn. `nextId` numbers what needs a number, over all turns of a server. */
export function messageSteps(turn: FakeMessage, nextId: () => number): readonly FakeStep[] {
  if (turn.steps) return turn.steps;
  const size = turn.chunk_size ?? 4;
  const blocks = [
    ...(turn.thinking === undefined ? [] : [thinkingBlock(turn, size, nextId)]),
    ...(turn.redacted === undefined
      ? []
      : [{ start: { type: 'redacted_thinking', data: turn.redacted }, steps: [] }]),
    ...(turn.blocks ?? []).map((start) => ({ start, steps: [] })),
    ...(turn.text === undefined ? [] : [textBlock(turn.text, size)]),
    ...(turn.calls ?? []).map((call) => callBlock(call, size, nextId)),
  ];
  return [
    messageStart(turn.usage),
    wire('ping', {}),
    ...blocks.flatMap(({ start, steps }, index) => [
      wire('content_block_start', { index, content_block: start }),
      ...steps.map((step) => ('delta' in step ? blockDelta(index, step.delta) : step.step)),
      wire('content_block_stop', { index }),
    ]),
    ...(turn.stop_reason === null ? [] : messageEnd(turn)),
  ];
}

/** One event, named as its type. */
export function wire(type: string, fields: object): FakeStep {
  return { event: type, data: { type, ...fields } };
}

export function messageStart(usage: object = { input_tokens: 10, output_tokens: 1 }): FakeStep {
  return wire('message_start', {
    message: {
      id: 'msg_fake',
      type: 'message',
      role: 'assistant',
      model: 'fake',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  });
}

export function blockDelta(index: number, delta: object): FakeStep {
  return wire('content_block_delta', { index, delta });
}

export function messageEnd(turn: FakeMessage): FakeStep[] {
  const stop_reason = turn.stop_reason ?? (turn.calls ? 'tool_use' : 'end_turn');
  const delta = {
    stop_reason,
    stop_sequence: null,
    ...(turn.stop_details && { stop_details: turn.stop_details }),
  };
  return [wire('message_delta', { delta, usage: { output_tokens: 5 } }), wire('message_stop', {})];
}

interface Block {
  readonly start: object;
  readonly steps: readonly ({ readonly delta: object } | { readonly step: FakeStep })[];
}

function thinkingBlock(turn: FakeMessage, size: number, nextId: () => number): Block {
  const { thinking = '', signature = `sig_${nextId()}` } = turn;
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    steps: [
      ...pieces(thinking, size).map((text) => ({
        delta: { type: 'thinking_delta', thinking: text },
      })),
      { delta: { type: 'signature_delta', signature } },
    ],
  };
}

function textBlock(text: NonNullable<FakeMessage['text']>, size: number): Block {
  const parts = typeof text === 'string' ? [text] : text;
  const steps = parts.flatMap((part): Block['steps'] =>
    typeof part === 'string'
      ? pieces(part, size).map((piece) => ({ delta: { type: 'text_delta', text: piece } }))
      : [{ step: part }],
  );
  return { start: { type: 'text', text: '' }, steps };
}

function callBlock(call: FakeCall, size: number, nextId: () => number): Block {
  const json = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  const id = call.id ?? `toolu_${nextId()}`;
  return {
    start: { type: 'tool_use', id, name: call.name, input: {} },
    steps: pieces(json, size).map((partial_json) => ({
      delta: { type: 'input_json_delta', partial_json },
    })),
  };
}
