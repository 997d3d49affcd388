import fc from 'fast-check';
import type { StreamEvent } from '../../src/event-log/follow/stream-event.js';
import { UiMessageProjection } from '../../src/facades/ai-sdk/projection.js';
import type { UiChunk } from '../../src/facades/ai-sdk/ui-chunk.js';
import { eventSchemas } from '../../src/protocol/event-schemas.js';
import { VERSIONS, readChunks } from '../clients/ai-sdk.js';
import type { Version } from '../clients/ai-sdk.js';
import { interactionScripts } from '../support/client/chat-script.js';
import { runs } from '../support/thoroughness.js';

/** An event of each type, in the order of the schemas: the example of the documentation. */
const EXAMPLES = [...eventSchemas().values()].map((schema) => schema.meta()!['example']);

interface Read {
  readonly after?: number;
  /** The last record for which requests count as settled. */
  readonly settled?: number;
}

/** The frames of one stream, which may end before the events do. */
function framesOf(
  version: Version,
  events: readonly StreamEvent[],
  { after = 0, settled = Infinity }: Read = {},
): UiChunk[] {
  const isOpen = ({ seq }: { readonly seq: number }): boolean => seq > settled;
  const options = { version, client_tools: new Set<string>(), after, isOpen };
  const projection = new UiMessageProjection(options);
  const chunks = events.flatMap((event) => projection.take(event));
  return JSON.parse(JSON.stringify(chunks)) as UiChunk[];
}

describe.each(VERSIONS)('Frames for version %s of the AI SDK', (version) => {
  it('are what its clients read, for each type of event', async () => {
    const events = EXAMPLES.map((event, at) => {
      const block = 'offset' in (event as object) && { block_id: `b${at}` };
      return { ...(event as StreamEvent), ...block };
    });
    const open = events.filter(({ type }) => type !== 'INTERACTION_COMPLETE');
    const message = await readChunks(version, framesOf(version, open));
    expect(message).toMatchObject({ id: 'int_1', role: 'assistant' });
  });

  it('make the message, whatever happens, live or replayed', async () => {
    await fc.assert(
      fc.asyncProperty(interactionScripts, async (script) => {
        const events = script as readonly StreamEvent[];
        const frames = framesOf(version, events).filter(({ type }) => type !== 'error');
        const message = await readChunks(version, frames);
        const done = message!.parts.filter(
          ({ type, state }) => type === 'text' && state === 'done',
        );
        expect(done.map(({ text }) => text)).toEqual(answersOf(events));
      }),
      { numRuns: runs(150) },
    );
  });

  it('continue a message that ended with a request, as if it had not ended', async () => {
    await fc.assert(
      fc.asyncProperty(interactionScripts, async (script) => {
        const events = script as readonly StreamEvent[];
        const first = framesOf(version, events, { settled: 0 });
        const end = first.at(-1);
        if (end?.type !== 'finish' || end.finishReason !== 'tool-calls') return;
        const { seq } = end.messageMetadata.parley;
        const rest = framesOf(version, events, { after: seq! });
        const whole = framesOf(version, events);
        const begun = await readChunks(version, first);
        const message = await readChunks(version, withoutError(rest), begun);
        const expected = await readChunks(version, withoutError(whole));
        expect(textsOf(message)).toEqual(textsOf(expected));
        expect(callsOf(message)).toEqual(callsOf(expected));
      }),
      { numRuns: runs(150) },
    );
  });
});

type Message = Awaited<ReturnType<typeof readChunks>>;

function withoutError(chunks: readonly UiChunk[]): UiChunk[] {
  return chunks.filter(({ type }) => type !== 'error');
}

/** Those that are complete. */
function textsOf(message: Message): (string | undefined)[] {
  const done = message!.parts.filter(({ type, state }) => type === 'text' && state === 'done');
  return done.map(({ text }) => text);
}

function callsOf(message: Message): unknown[] {
  const calls = message!.parts.filter(({ type }) => type.startsWith('tool-'));
  return calls.map(({ toolCallId, state, input, output }) => ({
    toolCallId,
    state,
    input,
    output,
  }));
}

/** What the root has said to its end. */
function answersOf(events: readonly StreamEvent[]): string[] {
  return events.flatMap((event) => {
    const isSaid = event.type === 'ANSWER' || event.type === 'MESSAGE';
    return isSaid && event.agent_id === 'agent' && event.content !== '' ? event.content : [];
  });
}
