import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { ModelError } from '../models/model-error.js';
import type { ModelEvent, ModelProvider, ModelRequest } from '../models/model-provider.js';
import { within } from './check.js';
import type { Check } from './check.js';

/** Time for a provider to notice that its signal aborts, in milliseconds. */
const STOP_MS = 2_000;
const NEVER = new AbortController().signal;

export interface ModelProviderUnderTest {
  readonly make: () => ModelProvider;
  /** It is answered by several words. */
  readonly request: ModelRequest;
  /** It is answered by tool calls. */
  readonly calling?: ModelRequest;
  /** It fails, as one for a model that does not exist. */
  readonly failing: ModelRequest;
}

/** The contract of a `ModelProvider`, as far as the server relies on it. */
export function modelProviderChecks(tested: ModelProviderUnderTest): Check[] {
  const { make, request, calling, failing } = tested;
  const answered = [request, ...(calling ? [calling] : [])];
  return [
    {
      name: 'has a name for the part before the slash',
      run: async () => match(make().name, /^[a-z0-9_-]{1,32}$/),
    },
    {
      name: 'ends a turn with one response_completed',
      run: async () => {
        for (const each of answered) {
          const types = (await collect(make(), each)).map(({ type }) => type);
          equal(types.indexOf('response_completed'), types.length - 1, types.join(', '));
        }
      },
    },
    {
      name: 'streams the text and the tool calls that its message has',
      run: async () => {
        for (const each of answered) checkMessage(await collect(make(), each));
        if (!calling) return;
        const events = await collect(make(), calling);
        ok(
          events.some(({ type }) => type === 'tool_call_ready'),
          '`calling` made no tool call',
        );
      },
    },
    {
      name: 'sends events that the log can keep as JSON',
      run: async () => {
        for (const each of answered) {
          const events = await collect(make(), each);
          deepEqual(JSON.parse(JSON.stringify(events)), events);
        }
      },
    },
    { name: 'stops when the signal aborts', run: () => checkAbort(make(), request) },
    {
      name: 'begins nothing if the signal has aborted',
      run: async () => {
        const events: ModelEvent[] = [];
        const turn = collect(make(), request, { signal: AbortSignal.abort(), into: events });
        ok(await within(STOP_MS, 'the turn', failureOf(turn)), 'the turn went well');
        deepEqual(events, []);
      },
    },
    {
      name: 'throws a ModelError for what fails',
      run: async () => {
        const error = await failureOf(collect(make(), failing));
        ok(error instanceof ModelError, `it threw ${String(error)}`);
        equal(typeof error.retryable, 'boolean');
        ok(error.message.length > 0, 'the error has no message');
      },
    },
  ];
}

/** The deltas, joined, are the message; each call is started, written and ready, in this order. */
function checkMessage(events: readonly ModelEvent[]): void {
  const completed = events.at(-1);
  if (completed?.type !== 'response_completed') throw new Error('no response_completed');
  const { content, tool_calls = [] } = completed.message;
  const text = events.map((event) => (event.type === 'text_delta' ? event.delta : ''));
  equal(text.join(''), content ?? '', 'the deltas of text are not the content');
  const started: number[] = [];
  const written = new Map<number, string>();
  const ready: object[] = [];
  for (const event of events) {
    if (event.type === 'tool_call_started') started.push(event.index);
    if (event.type === 'tool_call_args_delta')
      written.set(event.index, (written.get(event.index) ?? '') + event.delta);
    if (event.type === 'tool_call_args_delta' || event.type === 'tool_call_ready')
      ok(started.includes(event.index), `call ${event.index} was not started`);
    if (event.type !== 'tool_call_ready') continue;
    const { index, id, name, arguments: args } = event;
    equal(written.get(index) ?? args, args, `the arguments of call ${index} differ`);
    ready.push({ id, type: 'function', function: { name, arguments: args } });
  }
  deepEqual(ready, tool_calls, 'the calls that are ready are not those of the message');
}

async function checkAbort(provider: ModelProvider, request: ModelRequest): Promise<void> {
  const stop = new AbortController();
  const events = provider.stream(request, stop.signal)[Symbol.asyncIterator]();
  const first = await events.next();
  ok(!first.done && first.value.type !== 'response_completed', '`request` needs a longer answer');
  stop.abort();
  const types: string[] = [];
  const rest = (async () => {
    for (let next = await events.next(); !next.done; next = await events.next())
      types.push(next.value.type);
  })();
  ok(await within(STOP_MS, 'the turn', failureOf(rest)), 'the turn ended without an error');
  ok(!types.includes('response_completed'), 'it went on to the end of the turn');
}

async function collect(
  provider: ModelProvider,
  request: ModelRequest,
  { signal = NEVER, into = [] as ModelEvent[] } = {},
): Promise<ModelEvent[]> {
  for await (const event of provider.stream(request, signal)) into.push(event);
  return into;
}

/** Undefined if there is none. */
async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  return undefined;
}
