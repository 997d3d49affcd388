import {
  CallToolResultSchema,
  ElicitRequestSchema,
  JSONRPCMessageSchema,
  ProgressNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import type { StreamEvent } from '../../src/event-log/follow/stream-event.js';
import { CallProjection } from '../../src/facades/mcp/call-projection.js';
import { parseEventId } from '../../src/facades/mcp/call-state.js';
import type { Asking } from '../../src/facades/mcp/call-state.js';
import { eventSchemas } from '../../src/protocol/event-schemas.js';
import type { StreamFrame } from '../../src/streams/event-streams.js';
import { interactionScripts } from '../support/client/chat-script.js';
import { runs } from '../support/thoroughness.js';

/** An event of each type, in the order of the schemas: the example of the documentation. */
const EXAMPLES = [...eventSchemas().values()].map((schema) => schema.meta()!['example']);
/** Progress, a form, the result. */
const MESSAGES_OF_A_RECORD = 3;
const CREATED = '2026-01-01T00:00:00.000Z';
const ASKINGS: readonly Asking[] = ['never', 'during', 'in_results'];

interface Read {
  readonly asking: Asking;
  readonly after?: number;
  /** The last record for which requests count as settled. */
  readonly settled?: number;
}

interface RpcMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly progress: number };
  readonly result?: { readonly resultType: string; readonly [field: string]: unknown };
}

function framesOf(
  events: readonly StreamEvent[],
  { asking, after = 0, settled = Infinity }: Read,
): readonly StreamFrame[] {
  const projection = new CallProjection({
    row: { id: 'int_1', chat_id: 'chat_1', agent_id: 'agent', created_at: CREATED },
    call: { id: 3, progress: 'p', asking },
    after,
    isOpen: ({ seq }) => seq > settled,
    stateAfter: (seq) => `state ${seq}`,
  });
  return events.flatMap((event) => projection.take({ cursor: '', event }));
}

const messagesIn = (frames: readonly StreamFrame[]): RpcMessage[] =>
  frames.map(({ data }) => JSON.parse(data) as RpcMessage);

/** As the schemas of the package read them. */
function check(messages: readonly RpcMessage[]): void {
  for (const message of messages) {
    JSONRPCMessageSchema.parse(message);
    if (message.method === 'notifications/progress') ProgressNotificationSchema.parse(message);
    if (message.method === 'elicitation/create') ElicitRequestSchema.parse(message);
    if (message.result?.resultType === 'complete') CallToolResultSchema.parse(message.result);
  }
}

describe('Messages for clients of MCP', () => {
  it.each(ASKINGS)('are what they read, for each type of event, asking %s', (asking) => {
    const messages = messagesIn(framesOf(EXAMPLES as readonly StreamEvent[], { asking }));
    check(messages);
    expect(messages.length).toBeGreaterThan(3);
  });

  it('end with one result, after progress that rises', () => {
    const script = fc.tuple(interactionScripts, fc.constantFrom(...ASKINGS));
    fc.assert(
      fc.property(script, ([events, asking]) => {
        const messages = messagesIn(framesOf(events, { asking }));
        check(messages);
        expect(messages.filter(({ result }) => result)).toHaveLength(1);
        expect(messages.at(-1)).toMatchObject({ id: 3, result: { resultType: 'complete' } });
        const numbers = messages.flatMap(({ params }) => params?.progress ?? []);
        expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
      }),
      { numRuns: runs(150) },
    );
  });

  it('go on where a client was cut off, with nothing lost and no record twice', () => {
    const script = fc.tuple(interactionScripts, fc.nat(), fc.constantFrom(...ASKINGS));
    fc.assert(
      fc.property(script, ([script, cut, asking]) => {
        const events = script as readonly StreamEvent[];
        const whole = framesOf(events, { asking });
        const read = whole.slice(0, cut % whole.length);
        const last = read.at(-1)?.id;
        const after = last === undefined ? 0 : parseEventId(last)!.position.seq;
        const rest = framesOf(events, { asking, after });
        expect(messagesIn(rest)).toEqual(messagesIn(whole).slice(whole.length - rest.length));
        const twice = read.length + rest.length - whole.length;
        expect(twice).toBeGreaterThanOrEqual(0);
        expect(twice).toBeLessThan(MESSAGES_OF_A_RECORD); // those of one that was cut off in between
      }),
      { numRuns: runs(150) },
    );
  });

  it('ask in a result, and go on after it as if the call had not ended', () => {
    fc.assert(
      fc.property(interactionScripts, (script) => {
        const events = script as readonly StreamEvent[];
        const asking = 'in_results' as const;
        const first = messagesIn(framesOf(events, { asking, settled: 0 }));
        const asked = first.at(-1)?.result;
        if (asked?.resultType !== 'input_required') return;
        const requests = Object.values(asked['inputRequests'] as object);
        expect(requests.length).toBeGreaterThan(0);
        for (const request of requests) ElicitRequestSchema.parse(request);
        const after = Number(String(asked['requestState']).replace('state ', ''));
        const rest = messagesIn(framesOf(events, { asking, after }));
        const whole = messagesIn(framesOf(events, { asking }));
        expect([...first.slice(0, -1), ...rest]).toEqual(whole);
      }),
      { numRuns: runs(150) },
    );
  });
});
