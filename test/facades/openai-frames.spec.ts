import fc from 'fast-check';
import OpenAI from 'openai';
import type { StreamEvent } from '../../src/event-log/follow/stream-event.js';
import { ChatProjection } from '../../src/facades/openai/chat/chat-projection.js';
import { ResponseProjection } from '../../src/facades/openai/responses/response-projection.js';
import type { StreamedProjection } from '../../src/facades/base/projected-streams.js';
import type { InteractionRow } from '../../src/persistence/rows/interaction-row.js';
import { eventSchemas } from '../../src/protocol/event-schemas.js';
import type { StreamFrame } from '../../src/streams/event-streams.js';
import { OpenAI7 } from '../clients/openai-7.js';
import { interactionScripts } from '../support/client/chat-script.js';
import { runs } from '../support/thoroughness.js';

const EXAMPLES = [...eventSchemas().values()].map((schema, at) => {
  const event = schema.meta()!['example'] as StreamEvent;
  return { ...event, ...('offset' in event && { block_id: `b${at}` }) };
});
const CLIENTS = [
  ['openai 6', OpenAI],
  ['openai 7', OpenAI7 as unknown as typeof OpenAI],
] as const;

function rowOf([first]: readonly StreamEvent[]): InteractionRow {
  return {
    ...{ id: 'int', chat_id: 'chat', agent: 'react', model: 'm', agent_id: first!.agent_id },
    ...{ metadata: {}, status: 'RUNNING', settings: {}, created_at: '2026-01-15T10:00:00.000Z' },
  } as unknown as InteractionRow;
}

const chatOf = (events: readonly StreamEvent[]): ChatProjection =>
  new ChatProjection({ row: rowOf(events), model: 'react', after: 0, include_usage: true });

const responseOf = (events: readonly StreamEvent[], starting_after?: number): ResponseProjection =>
  new ResponseProjection({ row: rowOf(events), after: 0, starting_after });

/** The frames of one stream, which may end before the events do. */
function framesOf(projection: StreamedProjection, events: readonly StreamEvent[]): StreamFrame[] {
  const frames = [...(projection.begin?.() ?? [])];
  for (const event of events)
    if (!projection.isDone) frames.push(...projection.take({ event, cursor: '' }));
  return frames;
}

/** A client of a server that answers with these frames. */
function clientOf(Client: typeof OpenAI, frames: readonly StreamFrame[]): OpenAI {
  const body = frames
    .map(({ type, data }) => `${type === undefined ? '' : `event: ${type}\n`}data: ${data}\n\n`)
    .join('');
  const headers = { 'content-type': 'text/event-stream' };
  const answer = () => Promise.resolve(new Response(body, { headers }));
  return new Client({ apiKey: 'none', baseURL: 'http://server/v1', fetch: answer, maxRetries: 0 });
}

describe.each(CLIENTS)('Frames for clients of %s', (_, Client) => {
  const complete = (events: readonly StreamEvent[]) =>
    clientOf(Client, framesOf(chatOf(events), events))
      .chat.completions.stream({ model: 'react', messages: [] })
      .finalChatCompletion();
  const respond = (frames: readonly StreamFrame[]) =>
    clientOf(Client, frames).responses.stream({ model: 'react', input: '' }).finalResponse();

  it('are what the package reads, for each type of event', async () => {
    const events = EXAMPLES.filter(({ type }) => type !== 'ERROR' && type !== 'CANCELLED');
    const completion = await complete(events);
    expect(completion).toMatchObject({ object: 'chat.completion' });
    const response = await respond(framesOf(responseOf(events), events));
    expect(response.output.length).toBeGreaterThan(0);
  });

  it('make the texts of the root, whatever happens, and fail as it does', async () => {
    await fc.assert(
      fc.asyncProperty(interactionScripts, async (script) => {
        const events = script as readonly StreamEvent[];
        const answer = lastAnswerOf(events);
        const whole = framesOf(responseOf(events), events);
        const response = await respond(whole);
        if (response.status === 'completed') expect(response.output_text).toContain(answer);
        expect(numbersOf(whole)).toEqual([...new Set(numbersOf(whole))].toSorted((a, b) => a - b));
        const asks = events.some(({ type }) => type === 'INPUT_REQUIRED');
        const isWhole = endOf(events) === 'COMPLETED';
        const completion = complete(events).then(
          ({ choices }) => choices[0]!.message.content ?? '',
        );
        if (asks) await expect(completion).resolves.toMatch(/./);
        else if (isWhole) await expect(completion).resolves.toContain(answer);
        else await expect(completion).rejects.toThrow(/The (agent|interaction)/);
      }),
      { numRuns: runs(100) },
    );
  });
});

it('Responses go on after each frame that a reader has', () => {
  fc.assert(
    fc.property(interactionScripts, fc.nat(), (script, n) => {
      const events = script as readonly StreamEvent[];
      const whole = framesOf(responseOf(events), events);
      const at = n % whole.length;
      const after = numbersOf(whole)[at]!;
      const rest = framesOf(responseOf(events, after), events);
      expect(rest.map(({ data }) => data)).toEqual(whole.slice(at + 1).map(({ data }) => data));
    }),
    { numRuns: runs(300) },
  );
});

function numbersOf(frames: readonly StreamFrame[]): number[] {
  return frames.map(
    ({ data }) => (JSON.parse(data) as { sequence_number: number }).sequence_number,
  );
}

/** Empty if there is none. */
function lastAnswerOf(events: readonly StreamEvent[]): string {
  const answers = events.flatMap((event) =>
    event.type === 'ANSWER' && event.agent_id === 'agent' ? event.content : [],
  );
  return answers.at(-1) ?? '';
}

function endOf(events: readonly StreamEvent[]): string | undefined {
  const last = events.at(-1)!;
  return last.type === 'INTERACTION_COMPLETE' ? last.status : undefined;
}
