import type { FakeHttpTurn, FakeStep } from './fake-model.js';
import { pieces } from '../pieces.js';

export interface FakeCall {
  /** `call_<n>` unless given. */
  readonly id?: string;
  readonly name: string;
  /** Sent as JSON; a string is sent as it is, well-formed or not. */
  readonly arguments: unknown;
  /** Members that the vendor adds to a call. */
  readonly more?: object;
}

/** What the fake model does in one turn. */
export interface FakeTurn extends FakeHttpTurn {
  readonly thinking?: string;
  /** The field of the thoughts; `reasoning_content` unless given. */
  readonly thinking_field?: string;
  /** Text with anything in between: `['Hel', gate, 'lo', { cut: true }]`. */
  readonly text?: string | readonly (string | FakeStep)[];
  readonly calls?: readonly FakeCall[];
  /** Each call comes whole, in one delta. */
  readonly whole_calls?: true;
  /** Characters per delta; 4 unless given. */
  readonly chunk_size?: number;
  /** `tool_calls` or `stop` unless given; null leaves it out. */
  readonly finish_reason?: string | null;
  /** Null leaves it out. */
  readonly usage?: FakeUsage | null;
  /** False leaves out the closing `[DONE]`. */
  readonly done?: false;
  /** Replaces everything that the other fields would send. */
  readonly steps?: readonly FakeStep[];
}

interface FakeUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details?: {
    readonly cached_tokens: number;
    readonly cache_write_tokens?: number;
  };
  readonly completion_tokens_details?: { readonly reasoning_tokens: number };
}

const DEFAULT_USAGE = { prompt_tokens: 10, completion_tokens: 5 };

/** The wire steps of a turn. `nextId` numbers calls over all turns of a server. */
export function stepsOf(turn: FakeTurn, nextId: () => string): readonly FakeStep[] {
  if (turn.steps) return turn.steps;
  const size = turn.chunk_size ?? 4;
  return [
    delta({ role: 'assistant', content: '' }),
    ...pieces(turn.thinking ?? '', size).map((text) =>
      delta({ [turn.thinking_field ?? 'reasoning_content']: text }),
    ),
    ...textSteps(turn.text ?? '', size),
    ...(turn.calls ?? []).flatMap((call, index) =>
      callSteps(call, index, { nextId, size: turn.whole_calls ? Infinity : size }),
    ),
    ...closing(turn),
  ];
}

/** One chunk of a streamed completion that carries this delta. */
export function delta(fields: object, finish_reason: string | null = null): FakeStep {
  return { data: chunk([{ index: 0, delta: fields, finish_reason }]) };
}

function chunk(choices: readonly object[], more: object = {}): object {
  return {
    id: 'chatcmpl-fake',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'fake',
    choices,
    ...more,
  };
}

function textSteps(text: string | readonly (string | FakeStep)[], size: number): FakeStep[] {
  const parts = typeof text === 'string' ? [text] : text;
  return parts.flatMap((part) =>
    typeof part === 'string' ? pieces(part, size).map((content) => delta({ content })) : [part],
  );
}

function callSteps(
  call: FakeCall,
  index: number,
  options: { nextId: () => string; size: number },
): FakeStep[] {
  const id = call.id ?? options.nextId();
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  const named = { name: call.name, arguments: '' };
  const opening = { index, id, type: 'function', function: named, ...call.more };
  if (options.size === Infinity) {
    return [
      delta({ tool_calls: [{ ...opening, function: { name: call.name, arguments: text } }] }),
    ];
  }
  return [
    delta({ tool_calls: [opening] }),
    ...pieces(text, options.size).map((piece) =>
      delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ];
}

function closing(turn: FakeTurn): FakeStep[] {
  const reason =
    turn.finish_reason === undefined ? (turn.calls ? 'tool_calls' : 'stop') : turn.finish_reason;
  const usage = turn.usage === undefined ? DEFAULT_USAGE : turn.usage;
  return [
    ...(reason === null ? [] : [delta({}, reason)]),
    ...(usage === null ? [] : [{ data: chunk([], { usage }) }]),
    ...(turn.done === false ? [] : [{ raw: 'data: [DONE]\n\n' }]),
  ];
}
