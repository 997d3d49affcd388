import fc from 'fast-check';
import type { StreamEvent } from '../../src/event-log/follow/stream-event.js';
import { TaskProjection } from '../../src/facades/a2a/tasks/task-projection.js';
import type { StreamResponse as Sent, Task as SentTask } from '../../src/facades/a2a/wire.js';
import type { InteractionRow } from '../../src/persistence/rows/interaction-row.js';
import { eventSchemas } from '../../src/protocol/event-schemas.js';
import { FoldedTask, StreamResponse, Task, stateOf, textsOf } from '../clients/a2a.js';
import { interactionScripts } from '../support/client/chat-script.js';
import { runs } from '../support/thoroughness.js';

const EXAMPLES = [...eventSchemas().values()].map((schema) => schema.meta()!['example']);

const projectionOf = (events: readonly StreamEvent[], settled = Infinity): TaskProjection => {
  const row = {
    ...{ id: 'int', chat_id: 'chat', agent: 'react', model: 'm', agent_id: events[0]!.agent_id },
    ...{ user_message: 'Hi', metadata: {}, status: 'RUNNING', last_seq: 1 },
    ...{ created_at: '2026-01-15T10:00:00.000Z', completed_at: null },
  } as unknown as InteractionRow;
  return new TaskProjection(row, ({ seq }) => seq > settled);
};

/** Each frame as a client reads it; one that would be read otherwise than it is sent fails. */
function read(sent: Sent): StreamResponse {
  const json = JSON.parse(JSON.stringify(sent)) as object;
  const response = StreamResponse.fromJSON(json);
  expect(StreamResponse.toJSON(response)).toEqual(json);
  return response;
}

const readTask = (task: SentTask): Task => Task.fromJSON(JSON.parse(JSON.stringify(task)));

/** What both a stream and a task have of the same moment. */
function essenceOf(task: Task) {
  const { status, metadata } = task;
  return { state: stateOf(task), message: status!.message, metadata, texts: textsOf(task) };
}

function fold(events: readonly StreamEvent[], settled?: number, from = 0): FoldedTask {
  const projection = projectionOf(events, settled);
  for (const event of events.slice(0, from)) projection.take(event);
  const folded = new FoldedTask().take(read({ task: projection.task() }));
  for (const event of events.slice(from))
    for (const update of projection.take(event)) folded.take(read(update));
  return folded;
}

/** Without deltas, as a log that is read later has them. */
function replayed(events: readonly StreamEvent[], settled?: number): Task {
  const projection = projectionOf(events, settled);
  for (const event of events) if ('seq' in event) projection.take(event);
  return readTask(projection.task());
}

describe('Frames for clients of A2A', () => {
  it('are what the package reads, for each type of event', () => {
    const events = EXAMPLES.map((event, at) => {
      const block = 'offset' in (event as object) && { block_id: `b${at}` };
      return { ...(event as StreamEvent), ...block };
    });
    const folded = fold(events, 0);
    expect(folded.states[0]).toBe('WORKING');
    expect(stateOf(folded.task!)).toBe('COMPLETED');
  });

  it('make the task that is read later, live or replayed, from any moment on', () => {
    fc.assert(
      fc.property(interactionScripts, fc.nat(), fc.constantFrom(0, Infinity), (script, n, s) => {
        const events = script as readonly StreamEvent[];
        const expected = essenceOf(replayed(events, s));
        expect(essenceOf(fold(events, s).task!)).toEqual(expected);
        const from = n % events.length;
        expect(essenceOf(fold(events, s, from).task!)).toEqual(expected);
      }),
      { numRuns: runs(300) },
    );
  });

  it('have each text of the root once, whatever was tried again', () => {
    fc.assert(
      fc.property(interactionScripts, (script) => {
        const events = script as readonly StreamEvent[];
        expect(textsOf(fold(events).task!)).toEqual(answersOf(events));
      }),
      { numRuns: runs(150) },
    );
  });

  it('say that the task waits where nothing goes on, and nowhere else', () => {
    let waits = 0;
    fc.assert(
      fc.property(interactionScripts, (script) => {
        const events = script as readonly StreamEvent[];
        const { states, task } = fold(events, 0);
        expect(
          states.filter((state, at) => state === 'WORKING' && states[at - 1] === state),
        ).toEqual([]);
        waits += states.filter((state) => state === 'INPUT_REQUIRED').length;
        const done = events.some(({ type }) => type === 'INTERACTION_COMPLETE');
        if (done) expect(stateOf(task!)).toMatch(/^(COMPLETED|FAILED|CANCELED)$/);
      }),
      { numRuns: runs(150) },
    );
    expect(waits).toBeGreaterThan(0);
  });
});

/** What the root has said to its end. */
function answersOf(events: readonly StreamEvent[]): string[] {
  return events.flatMap((event) => {
    const isSaid = event.type === 'ANSWER' || event.type === 'MESSAGE';
    return isSaid && event.agent_id === 'agent' && event.content !== '' ? event.content : [];
  });
}
