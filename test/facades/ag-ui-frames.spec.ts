import fc from 'fast-check';
import type { StreamEvent } from '../../src/event-log/follow/stream-event.js';
import type { Json } from '../../src/facades/ag-ui/ag-ui-event.js';
import { RunProjection } from '../../src/facades/ag-ui/projection/run-projection.js';
import type { RunOptions } from '../../src/facades/ag-ui/projection/run-projection.js';
import { eventSchemas } from '../../src/protocol/event-schemas.js';
import { AG_UI_VERSIONS, readRun } from '../clients/ag-ui.js';
import type { AgUiClient, AgentEvent, AgentMessage } from '../clients/ag-ui.js';
import { interactionScripts } from '../support/client/chat-script.js';
import { runs } from '../support/thoroughness.js';

/** An event of each type, in the order of the schemas: the example of the documentation. */
const EXAMPLES = [...eventSchemas().values()].map((schema) => schema.meta()!['example']);
const QUESTION: AgentMessage = { id: 'u1', role: 'user', content: 'Hi' };

interface Read extends Partial<Pick<RunOptions, 'after' | 'isRepeated'>> {
  /** The last record for which requests count as settled. */
  readonly settled?: number;
  readonly messages?: readonly AgentMessage[];
}

/** The events of one run, which may end before the interaction does. */
function eventsOf(
  version: AgUiClient,
  events: readonly StreamEvent[],
  { after = 0, settled = Infinity, messages = [QUESTION], isRepeated = false }: Read = {},
): AgentEvent[] {
  const [{ interaction_id, agent_id: root }] = events as [StreamEvent];
  const projection = new RunProjection({
    ...{ threadId: 'thread', runId: 'run', interaction_id, root, after, isRepeated },
    ...{ last: Math.max(after, isRepeated ? Infinity : 0), state: {} },
    version: version === '1.0.0' ? '1.0' : '0.0',
    messages: messages as unknown as readonly Json[],
    client_tools: new Set(),
    isOpen: ({ seq }) => seq > settled,
  });
  const frames = [
    ...projection.begin(),
    ...events.flatMap((event) => projection.take({ event, cursor: '' })),
  ];
  return frames.map(({ data }) => JSON.parse(data) as AgentEvent);
}

describe.each(AG_UI_VERSIONS)('Events for the client %s of AG-UI', (version) => {
  it('are what it reads, for each type of event', async () => {
    const events = EXAMPLES.map((event, at) => {
      const block = 'offset' in (event as object) && { block_id: `b${at}` };
      return { ...(event as StreamEvent), ...block };
    });
    const open = events.filter(({ type }) => type !== 'INTERACTION_COMPLETE');
    const last = { ...events[0], type: 'INTERACTION_COMPLETE', status: 'COMPLETED', seq: 99 };
    const run = eventsOf(version, [...open, last as unknown as StreamEvent]);
    const agent = await readRun(version, run, [QUESTION]);
    expect(agent.messages.length).toBeGreaterThan(3);
  });

  it('make the messages, whatever happens, live or replayed', async () => {
    await fc.assert(
      fc.asyncProperty(interactionScripts, async (script) => {
        const events = script as readonly StreamEvent[];
        const live = await readRun(version, eventsOf(version, events), [QUESTION]);
        expect(textsOf(live.messages)).toEqual(answersOf(events));
        const half = live.messages.slice(0, live.messages.length / 2 + 1);
        const records = events.filter((event) => 'seq' in event);
        const again = eventsOf(version, records, { isRepeated: true, messages: half });
        const replayed = await readRun(version, again, half);
        expect(withoutThoughts(replayed.messages)).toEqual(withoutThoughts(live.messages));
      }),
      { numRuns: runs(150) },
    );
  });

  it('continue a run that was interrupted, as if it had not been', async () => {
    await fc.assert(
      fc.asyncProperty(interactionScripts, async (script) => {
        const events = script as readonly StreamEvent[];
        const first = eventsOf(version, events, { settled: 0 });
        const end = first.at(-1)!;
        const outcome = end['outcome'] as { type: string } | undefined;
        if (outcome?.type !== 'interrupt') return;
        const before = await readRun(version, first, [QUESTION]);
        expect(before.pendingInterrupts).toHaveLength(1);
        const { parley } = end['metadata'] as { parley: { seq: number } };
        const { messages } = before;
        const rest = eventsOf(version, events, { after: parley.seq, messages });
        const after = await readRun(version, rest, messages);
        const whole = await readRun(version, eventsOf(version, events), [QUESTION]);
        expect(after.pendingInterrupts).toEqual([]);
        expect(withoutThoughts(after.messages)).toEqual(withoutThoughts(whole.messages));
      }),
      { numRuns: runs(150) },
    );
  });
});

/** Of the root: what it has said to its end. */
function answersOf(events: readonly StreamEvent[]): string[] {
  return events.flatMap((event) => {
    const isSaid = event.type === 'ANSWER' || event.type === 'MESSAGE';
    return isSaid && event.agent_id === 'agent' && event.content !== '' ? event.content : [];
  });
}

function textsOf(messages: readonly AgentMessage[]): unknown[] {
  return messages.flatMap(({ role, subagentRunId, content }) =>
    role === 'assistant' && subagentRunId === undefined && content !== undefined ? [content] : [],
  );
}

/** Clients keep thoughts that were taken back, if there are no others. */
function withoutThoughts(messages: readonly AgentMessage[]): readonly AgentMessage[] {
  return messages.filter(({ role }) => role !== 'reasoning');
}
