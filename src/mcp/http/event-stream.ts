import { createParser } from 'eventsource-parser';
import { inSlices } from '../../kernel/async/sliced.js';
import { cleanIncoming } from '../reading/incoming-message.js';

const FIRST_WAIT_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;
/** Limit of the time that a server asks for, which may be longer than the backoff. */
const LONGEST_WAIT_MS = 10 * 60_000;

/** Where a stream of events goes on after its connection has ended, and how soon. */
export class StreamPlace {
  lastEventId: string | undefined;
  /** The time that the server asks for. */
  retryMs: number | undefined;

  /** @param failed attempts since the stream was open */
  waitMs(failed: number): number {
    const backoff = Math.min(FIRST_WAIT_MS * 2 ** failed, LONGEST_BACKOFF_MS);
    const asked = this.retryMs ?? FIRST_WAIT_MS;
    return Math.min(failed === 0 ? asked : Math.max(asked, backoff), LONGEST_WAIT_MS);
  }
}

/**
 * The messages of a body of events, each as an event of its own, as `cleanIncoming` writes them. An
 * event that is not complete is left out. Ids and times to wait go to the place, and not to the
 * SDK, which would go on with a stream only twice.
 */
export async function* cleanEvents(
  body: AsyncIterable<Uint8Array>,
  place: StreamPlace,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  const messages: string[] = [];
  const parser = createParser({
    onRetry: (ms) => (place.retryMs = ms),
    onEvent: ({ id, event, data }) => {
      place.lastEventId = id ?? place.lastEventId;
      if (data !== '' && (event === undefined || event === 'message')) messages.push(data);
    },
  });
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    for (const message of messages.splice(0)) {
      const text = await inSlices(cleanIncoming(message));
      yield Buffer.from(`data: ${text.replaceAll('\n', '\ndata: ')}\n\n`);
    }
  }
}

/** A body of JSON as `cleanIncoming` writes it. */
export async function* cleanWhole(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  yield Buffer.from(await inSlices(cleanIncoming(Buffer.concat(parts).toString('utf8'))));
}
