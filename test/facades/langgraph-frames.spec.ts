import fc from 'fast-check';
import type { FollowedEvent } from '../../src/event-log/follow/follower.js';
import { Position } from '../../src/event-log/follow/position.js';
import type { StreamEvent } from '../../src/event-log/follow/stream-event.js';
import { blockOf } from '../../src/event-log/live/block-of.js';
import { RunEvents } from '../../src/facades/langgraph/protocol/run-events.js';
import type { Placed } from '../../src/facades/langgraph/protocol/run-events.js';
import { parseFrameId } from '../../src/facades/langgraph/runs/frame-id.js';
import { RunProjection, STREAM_MODES } from '../../src/facades/langgraph/runs/run-projection.js';
import type { LogRecord } from '../../src/persistence/rows/log-record.js';
import type { InteractionRow } from '../../src/persistence/rows/interaction-row.js';
import { START } from '../../src/protocol/cursor.js';
import type { StreamFrame } from '../../src/streams/event-streams.js';
import { assembleMessages, joinTuples } from '../clients/langgraph-messages.js';
import { interactionScripts } from '../support/client/chat-script.js';
import { runs } from '../support/thoroughness.js';

const ROW = {
  ...{ id: 'int_0', chat_id: 'chat', agent_id: 'agent', agent: 'react', metadata: {} },
  ...{ user_message: 'Message int_0', last_seq: 0 },
} as unknown as InteractionRow;

type Message = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string };

/** Of events that depend on no text that was never complete. */
const LASTING = ['lifecycle', 'input.requested', 'input.answered', 'custom'];

/** The events with the cursors after them, as a reader gets them. */
function followed(events: readonly StreamEvent[]): FollowedEvent[] {
  const position = new Position(START);
  return events.map((event) => {
    if ('seq' in event) position.advance({ seq: event.seq, body: event } as unknown as LogRecord);
    else if ('offset' in event && event.type !== 'TOOL_OUTPUT_DELTA')
      position.advanceBlock(event.block_id, event.offset + event.delta.length);
    return { event, cursor: position.format() };
  });
}

/** As a reader gets them who comes later: a text is one part, before its record. */
function replayed(events: readonly StreamEvent[]): StreamEvent[] {
  return events.flatMap((event): StreamEvent[] => {
    if (!('seq' in event)) return [];
    const block = blockOf(event);
    if (!block || block.text === '') return [event];
    const { interaction_id, agent_id } = event;
    const { id: block_id, text: delta, delta_type: type, tool_call_id } = block;
    const origin = { interaction_id, agent_id };
    return [{ type, ...origin, block_id, offset: 0, delta, tool_call_id }, event];
  });
}

function framesOf(events: readonly StreamEvent[], after?: string): StreamFrame[] {
  const projection = new RunProjection({
    ...{ row: ROW, modes: new Set(STREAM_MODES), after: 0, isOpen: () => false },
    readEarlier: () => Promise.resolve([]),
    position: parseFrameId(after),
  });
  const frames = followed(events).flatMap((each) => [...projection.take(each)]);
  return frames.filter(({ data }) => !data.includes('"tool_output"')); // a preview, sent again or not
}

function valuesIn(frames: readonly StreamFrame[]): readonly Message[] {
  const { data } = frames.findLast(({ type }) => type === 'values')!;
  return (JSON.parse(data) as { messages: readonly Message[] }).messages;
}

function tuplesIn(frames: readonly StreamFrame[]): Message[] {
  const tuples = frames.filter(({ type }) => type === 'messages');
  return tuples.map(({ data }) => (JSON.parse(data) as [Message])[0]);
}

/** What clients make of the parts, of the messages that there are in the end. */
function joined(frames: readonly StreamFrame[], messages: readonly Message[]) {
  const parts = joinTuples(tuplesIn(frames));
  return messages.flatMap(({ id }) => parts.get(id) ?? []);
}

function placedOf(events: readonly StreamEvent[]): Placed[] {
  const context = {
    human: { type: 'human', id: 'm', content: 'Hi' },
    earlier: [],
    metadata: {},
    parent_id: null,
  };
  const fold = new RunEvents('int_0', 'agent', context as never);
  return followed(events).flatMap(({ event, cursor }) => fold.take(event, cursor));
}

/**
 * Servers write the thoughts, the text and the calls of a turn at once: nothing is void after
 * thoughts that are complete.
 */
const scripts = interactionScripts.filter((script) => {
  let hasThought = false;
  let isTorn = false;
  for (const { type, agent_id } of script) {
    if (type === 'NOTICE' || type === 'RESUMED' || type === 'INTERACTION_COMPLETE')
      isTorn ||= hasThought;
    else if (agent_id === 'agent' && type === 'THINKING') hasThought = true;
    else if (type === 'ANSWER' || type === 'TOOL_CALL') hasThought = false;
  }
  return !isTorn;
});

function answersIn({ data }: Placed): Message[] {
  const messages = data['messages'] as readonly Message[];
  return messages.filter(({ type }) => type === 'ai');
}

describe('Frames for LangGraph', () => {
  it('make the messages of the state, live or replayed', () => {
    fc.assert(
      fc.property(scripts, (script) => {
        const events = script as readonly StreamEvent[];
        const frames = framesOf(events);
        const messages = valuesIn(frames).slice(1);
        const expected = messages.map(({ content, tool_calls = [], id }) => ({
          ...{ id, content, calls: tool_calls },
        }));
        expect(joined(frames, messages)).toEqual(expected);
        const later = framesOf(replayed(events));
        expect(valuesIn(later)).toEqual(valuesIn(frames));
        expect(joined(later, messages)).toEqual(expected);
      }),
      { numRuns: runs(150) },
    );
  });

  it('go on after each of them, live or replayed', () => {
    fc.assert(
      fc.property(scripts, fc.nat(999), (script, where) => {
        const events = script as readonly StreamEvent[];
        const frames = framesOf(events);
        const cut = Math.floor((where * (frames.length - 1)) / 1000);
        const { id } = frames[cut]!;
        expect(framesOf(events, id)).toEqual(frames.slice(cut + 1));
        const rest = framesOf(replayed(events), id);
        const messages = valuesIn(frames).slice(1);
        expect(joined([...frames.slice(0, cut + 1), ...rest], messages)).toEqual(
          joined(frames, messages),
        );
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('Events of LangGraph’s protocol', () => {
  it('are messages whose blocks come one after the other, as the client assembles them', () => {
    fc.assert(
      fc.property(scripts, (script) => {
        const events = script as readonly StreamEvent[];
        for (const each of [events, replayed(events)]) {
          const placed = placedOf(each);
          const keys = placed.map(({ key }) => key);
          expect(new Set(keys).size).toBe(keys.length);
          const last = placed.findLast(({ method }) => method === 'values')!;
          const said = answersIn(last);
          const shown = assembleMessages(placed);
          expect(said.map(({ id }) => shown.get(id))).toEqual(said.map(({ content }) => content));
        }
      }),
      { numRuns: runs(150) },
    );
  });

  it('have the same ids in each replay', () => {
    fc.assert(
      fc.property(scripts, fc.nat(999), (script, where) => {
        const events = script as readonly StreamEvent[];
        const live = placedOf(events);
        const cut = live.slice(0, Math.floor((where * live.length) / 1000));
        const seen = new Set(cut.map(({ key }) => key));
        const rest = placedOf(replayed(events)).filter(({ key }) => !seen.has(key));
        const last = live.findLast(({ method }) => method === 'values')!;
        const said = answersIn(last);
        const shown = assembleMessages([...cut, ...rest]);
        expect(said.map(({ id }) => shown.get(id))).toEqual(said.map(({ content }) => content));
        const lasting = (of: readonly Placed[]): string[] =>
          of.filter(({ method }) => LASTING.includes(method)).map(({ key }) => key);
        expect(lasting(placedOf(replayed(events)))).toEqual(lasting(live));
      }),
      { numRuns: runs(150) },
    );
  });
});
