import fc from 'fast-check';
import { createClient, fold } from '../../client/index.js';
import type { ChatStreamEvent, Conversation, EventStream } from '../../client/index.js';
import { chatScripts, interactionScripts } from '../support/client/chat-script.js';
import { skipPauses } from '../support/client/skip-pauses.js';
import { ScriptedServer } from '../support/client/scripted-server.js';
import type { Trouble } from '../support/client/scripted-server.js';
import { runs } from '../support/thoroughness.js';

const troubles: fc.Arbitrary<Trouble[]> = fc.array(
  fc.record({
    refusals: fc.array(
      fc.constantFrom<Trouble['refusals'][number][]>('unreachable', 429, 503, 'no body'),
      { maxLength: 2 },
    ),
    missed: fc.nat(8),
    length: fc.integer({ min: 20, max: 4_000 }),
    end: fc.constantFrom<Trouble['end'][]>('closed', 'broken'),
    chunks: fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 4 }),
    repeats: fc.record({ every: fc.nat(5), count: fc.nat(6) }),
  }),
  { maxLength: 6 },
);
/** After so many events, the page is loaded anew, with or without what it has kept. */
const loads = fc.array(fc.record({ after: fc.integer({ min: 1, max: 40 }), keeps: fc.boolean() }), {
  maxLength: 3,
});

skipPauses();

describe('The client, over connections that break, stall and repeat', () => {
  it('gives every event of an interaction once, and folds it to the same (I2)', async () => {
    await fc.assert(
      fc.asyncProperty(interactionScripts, troubles, async (script, troubled) => {
        const server = new ScriptedServer(script, troubled, 'interaction');
        const client = createClient({ url: 'http://parley', fetch: server.fetch });
        const events: ChatStreamEvent[] = [];
        for await (const event of client.follow('chat', 'int_0')) events.push(event);
        const whole = server.whole();
        expect(records(events)).toEqual(records(whole));
        expect(textsOf(events)).toEqual(textsOf(whole));
        expect(events.reduce(fold, undefined)).toEqual(whole.reduce(fold, undefined));
      }),
      { numRuns: runs(300) },
    );
  });

  it('folds a chat with edits to the same, also while it is written, and where pages are loaded anew', async () => {
    await fc.assert(
      fc.asyncProperty(chatScripts, fc.nat(), troubles, loads, async (script, cut, ...plan) => {
        const [troubled, reloads] = plan;
        const begun = script.slice(0, (cut % script.length) + 1);
        const server = new ScriptedServer(begun, troubled, 'chat');
        const state = await readChat(server, [...reloads]);
        expect(state).toEqual(server.whole().reduce(fold, undefined));
      }),
      { numRuns: runs(300) },
    );
  });
});

async function readChat(
  server: ScriptedServer,
  reloads: { after: number; keeps: boolean }[],
): Promise<Conversation | undefined> {
  const client = createClient({ url: 'http://parley', fetch: server.fetch });
  let state: Conversation | undefined;
  let cursor: string | undefined = '0';
  for (;;) {
    const stream: EventStream<ChatStreamEvent> = client.chat('chat').events({ cursor });
    const load = reloads.shift();
    let count = 0;
    for await (const event of stream) {
      state = fold(state, event);
      if (event.type === 'FILE_ADDED') return state;
      if (++count === load?.after) break;
    }
    state = load?.keeps ? (JSON.parse(JSON.stringify(state)) as Conversation) : undefined;
    cursor = load?.keeps ? stream.cursor : '0';
  }
}

function records(events: readonly ChatStreamEvent[]): ChatStreamEvent[] {
  return events.filter((event) => 'seq' in event);
}

/** What the deltas of each block have given when its record comes, beside what that holds. */
function textsOf(events: readonly ChatStreamEvent[]): [string, string][] {
  const texts: Record<string, string> = {};
  for (const event of events)
    if ('offset' in event) texts[event.block_id] = (texts[event.block_id] ?? '') + event.delta;
  return events.flatMap((event) =>
    'content' in event ? [[texts[event.block_id] ?? '', event.content]] : [],
  );
}
