import type {
  ModelEvent,
  ModelProvider,
  ModelRequest,
} from '../../../src/models/model-provider.js';
import { IMAGES } from '../tools/images.js';

export const REQUEST: ModelRequest = { model: 'fake', messages: [{ role: 'user', content: 'Hi' }] };
/** A tool has shown an image, and its model spoke of it. */
export const LOOKED: ModelRequest = {
  model: 'fake',
  messages: [
    { role: 'user', content: 'Which colour is it?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: ['c1', 'c2'].map((id) => ({
        ...{ id, type: 'function', function: { name: 'look', arguments: '{}' } },
      })),
    },
    {
      ...{ role: 'tool', tool_call_id: 'c1', content: 'a.png is an image' },
      images: [{ media_type: 'image/png', data: IMAGES.png }],
    },
    { role: 'tool', tool_call_id: 'c2', content: 'noon' },
    { role: 'assistant', content: 'It is red.' },
    { role: 'user', content: 'Sure?' },
  ],
};
export const NEVER = new AbortController().signal;

/** All events of a turn. */
export async function collect(
  provider: ModelProvider,
  request = REQUEST,
  signal = NEVER,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of provider.stream(request, signal)) events.push(event);
  return events;
}

/** The error that ends a turn. */
export function failure(provider: ModelProvider, request = REQUEST): Promise<unknown> {
  return errorOf(provider.stream(request, NEVER)[Symbol.asyncIterator]());
}

/** The error that `events` end with. */
export async function errorOf(events: AsyncIterator<ModelEvent>): Promise<unknown> {
  try {
    while (!(await events.next()).done);
  } catch (error) {
    return error;
  }
  throw new Error('The turn went well');
}

/** All deltas of one kind. */
export function joined(events: readonly ModelEvent[], type: ModelEvent['type']): string {
  return events
    .map((event) => (event.type === type && 'delta' in event ? event.delta : ''))
    .join('');
}

/** The calls of a turn: index, id, name, arguments. */
export function ready(events: readonly ModelEvent[]): unknown[] {
  return events.flatMap((event) =>
    event.type === 'tool_call_ready' ? [[event.index, event.id, event.name, event.arguments]] : [],
  );
}

/** All that an error tells, and the errors behind it. */
export function everything(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error ?? null);
  const own = Object.getOwnPropertyNames(error).filter((name) => name !== 'cause');
  const texts = own.map((name) =>
    JSON.stringify((error as unknown as Record<string, unknown>)[name]),
  );
  return [...texts, everything(error.cause)].join('\n');
}

export async function turnsOfTheLoop(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
