import type { ModelEvent } from '../../../src/models/model-provider.js';
import { ChatTurn } from '../../../src/models/openai/chat-turn.js';

/** What comes of the chunks of a turn. */
interface Outcome {
  readonly events: readonly ModelEvent[];
  /** `id name arguments` of each finished call. */
  readonly calls: readonly string[];
  readonly text: string;
  readonly thinking: string;
  readonly traces: readonly string[];
  readonly last: ModelEvent | undefined;
}

/** Folds chunks, whole or made with `chunk` and `call`, as one turn. */
export function fold(chunks: readonly unknown[], max_chars = 10_000): Outcome {
  const events: ModelEvent[] = [];
  const turn = new ChatTurn({
    author: { model: 'm', endpoint: 'e' },
    emit: (event) => events.push(event),
    scrub: (text) => text,
    max_chars,
  });
  for (const chunk of chunks) turn.accept(chunk);
  turn.complete();
  const joined = (type: string): string =>
    events.map((event) => (event.type === type && 'delta' in event ? event.delta : '')).join('');
  return {
    events,
    calls: events.flatMap((e) =>
      e.type === 'tool_call_ready' ? [`${e.id} ${e.name} ${e.arguments}`] : [],
    ),
    text: joined('text_delta'),
    thinking: joined('thinking_delta'),
    traces: events.flatMap((e) => (e.type === 'trace' ? [e.name] : [])),
    last: events.at(-1),
  };
}

export const chunk = (delta: object, finish_reason: string | null = null): object => ({
  choices: [{ delta, finish_reason }],
});
/** A delta of a call. */
export const call = (fields: object, name?: string, args?: unknown): object =>
  chunk({
    tool_calls: [
      {
        ...fields,
        function: {
          ...(name !== undefined && { name }),
          ...(args !== undefined && { arguments: args }),
        },
      },
    ],
  });
export const stop = chunk({}, 'stop');
