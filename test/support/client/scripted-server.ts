import { setImmediate as immediate } from 'node:timers/promises';
import type { ChatStreamEvent, DeltaEvent, RecordEvent } from '../../../client/index.js';
import { formatCursor, parseCursor } from '../../../src/protocol/cursor.js';
import { chatStateAt } from './chat-script.js';
import type { Happening } from './chat-script.js';

/** What goes wrong with one connection, and while there is none. */
export interface Trouble {
  /** Before it, unless it is the first: attempts that come to nothing. */
  readonly refusals: readonly ('unreachable' | 429 | 503 | 'no body')[];
  /** What happens meanwhile. */
  readonly missed: number;
  /** After so many bytes it breaks. */
  readonly length: number;
  readonly end: 'closed' | 'broken';
  /** Sizes of its chunks, in bytes, over and over. */
  readonly chunks: readonly number[];
  /** Every how many frames some are sent twice, and how many. */
  readonly repeats: { readonly every: number; readonly count: number };
}

type ScriptedFrame = { readonly id: string; readonly event: ChatStreamEvent };

/**
 * Answers as the server does while a script happens, one happening after the other as the reader
 * takes them; then the stream of the chat says that a file was added, and stays open.
 */
export class ScriptedServer {
  /** How much of the script has happened. */
  now = 0;
  private readonly troubles: Trouble[];
  private refusals: Trouble['refusals'][number][] = [];

  constructor(
    private readonly script: readonly Happening[],
    troubles: readonly Trouble[],
    private readonly of: 'chat' | 'interaction',
  ) {
    this.troubles = [...troubles];
  }

  readonly fetch = async (_: unknown, init: RequestInit = {}): Promise<Response> => {
    await immediate();
    const refusal = this.refusals.shift();
    if (refusal === 'unreachable') throw new TypeError('fetch failed');
    if (typeof refusal === 'number')
      return Response.json({}, { status: refusal, headers: { 'retry-after': '0' } });
    const cursor = new Headers(init.headers).get('last-event-id') ?? undefined;
    if (refusal === 'no body') return streamOf(async function* () {});
    const trouble = this.troubles.shift();
    this.refusals = [...(this.troubles[0]?.refusals ?? [])];
    this.now = Math.min(this.now + (trouble?.missed ?? 0), this.script.length);
    if (this.of === 'interaction' && cursor === `${this.lastSeq()}` && this.isOver())
      return new Response(null, { status: 204 });
    const frames = new Connection(this.script, this.of, cursor);
    return streamOf(() => this.send(frames.read(this), trouble, init.signal ?? undefined));
  };

  /** Everything that a reader gets who is there all the time. */
  whole(): ChatStreamEvent[] {
    return Array.from(
      new Connection(this.script, this.of, undefined).read({ now: 0 }),
      ({ event }) => event,
    );
  }

  private isOver(): boolean {
    return this.now === this.script.length;
  }

  private lastSeq(): number | undefined {
    return this.script.filter((event) => 'seq' in event).at(-1)?.seq;
  }

  private async *send(
    frames: Iterable<ScriptedFrame>,
    trouble: Trouble | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> {
    let left = trouble?.length ?? Infinity;
    let nr = 0;
    for (const text of repeated(frames, trouble)) {
      let bytes = new TextEncoder().encode(text);
      while (bytes.length > 0) {
        const size = Math.min(trouble?.chunks[nr++ % trouble.chunks.length] ?? 4096, left);
        if (nr % 3 === 0) await immediate();
        if (size > 0) yield bytes.subarray(0, size);
        bytes = bytes.subarray(size);
        left -= Math.min(size, left);
        if (left > 0) continue;
        if (trouble?.end === 'broken') throw new TypeError('terminated');
        return;
      }
    }
    if (this.of === 'chat')
      await new Promise((resolve) => signal?.addEventListener('abort', resolve));
  }
}

function* repeated(frames: Iterable<ScriptedFrame>, trouble?: Trouble): Generator<string> {
  const sent: string[] = [];
  yield 'retry: 1\n\n';
  for (const { id, event } of frames) {
    const text = `event: ${event.type.toLowerCase()}\nid: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
    yield text;
    sent.push(text);
    const { every = 0, count = 0 } = trouble?.repeats ?? {};
    if (every > 0 && sent.length % every === 0) yield* sent.slice(-count);
  }
}

/** What one reader gets: the rest after its cursor, then what happens. */
class Connection {
  private interaction: string | undefined;
  private seq = 0;
  private readonly offsets = new Map<string, number>();

  constructor(
    private readonly script: readonly Happening[],
    private readonly of: 'chat' | 'interaction',
    cursor: string | undefined,
  ) {
    if (cursor === undefined || cursor === '0') return;
    const [interaction, within] = of === 'chat' ? cursor.split('/') : ['int_0', cursor];
    const position = parseCursor(within!);
    [this.interaction, this.seq] = [interaction, position.seq];
    for (const [block, offset] of position.offsets) this.offsets.set(block, offset);
  }

  *read(time: { now: number }): Generator<ScriptedFrame> {
    const past = this.script.slice(0, time.now);
    if (this.of === 'chat') yield this.frame(chatStateAt(past));
    const ids = [...new Set(past.map(({ interaction_id }) => interaction_id))];
    for (const id of ids.slice(Math.max(ids.indexOf(this.interaction ?? ''), 0)))
      yield* this.catchUp(past.filter(({ interaction_id }) => interaction_id === id));
    if (this.of === 'chat') yield this.frame(chatStateAt(past));
    while (time.now < this.script.length) {
      const event = this.script[time.now++]!;
      yield* this.live(event);
      const begins = event.type === 'INTERACTION_STARTED';
      if (begins && this.of === 'chat')
        yield this.frame(chatStateAt(this.script.slice(0, time.now)));
    }
    if (this.of === 'chat') yield this.frame(END);
  }

  private *catchUp(past: readonly Happening[]): Generator<ScriptedFrame> {
    const id = past[0]!.interaction_id;
    if (this.interaction !== id) this.moveTo(id);
    const from = this.seq;
    const texts = new Map<string, DeltaEvent>();
    const last = past.findLast((event) => 'seq' in event)!;
    for (const event of past) {
      if ('offset' in event) {
        const before = texts.get(event.block_id)?.delta ?? '';
        texts.set(event.block_id, { ...event, offset: 0, delta: before + event.delta });
        continue;
      }
      const isNew = event.seq > from;
      if (isNew && 'block_id' in event && event.type !== 'TOOL_RESULT')
        yield* this.rest(texts.get(event.block_id));
      for (const block of closedBy(event, texts)) texts.delete(block);
      if (isNew) yield this.take(event, event === last);
    }
    for (const open of texts.values()) yield* this.rest(open);
  }

  private *live(event: Happening): Generator<ScriptedFrame> {
    if (this.interaction !== event.interaction_id) this.moveTo(event.interaction_id);
    if ('offset' in event) yield* this.rest(event);
    else yield this.take(event, true);
  }

  private *rest(delta: DeltaEvent | undefined): Generator<ScriptedFrame> {
    if (!delta) return;
    const have = this.offsets.get(delta.block_id) ?? 0;
    const end = delta.offset + delta.delta.length;
    if (end <= have) return;
    this.offsets.set(delta.block_id, end);
    yield this.frame({ ...delta, offset: have, delta: delta.delta.slice(have - delta.offset) });
  }

  /** An earlier end of a retried interaction is sent as a notice. */
  private take(record: RecordEvent, isLast: boolean): ScriptedFrame {
    this.seq = record.seq;
    for (const block of closedBy(record, this.offsets)) this.offsets.delete(block);
    if (record.type !== 'INTERACTION_COMPLETE' || isLast) return this.frame(record);
    const { status, ...rest } = record;
    const message = `The interaction had ended ${status}, and is tried again.`;
    return this.frame({ ...rest, type: 'NOTICE', code: 'retried', message });
  }

  private moveTo(id: string): void {
    [this.interaction, this.seq] = [id, 0];
    this.offsets.clear();
  }

  private frame(event: ChatStreamEvent): ScriptedFrame {
    const within = formatCursor(this.seq, this.offsets);
    const isOfChat = this.of === 'chat' && this.interaction !== undefined;
    return { id: isOfChat ? `${this.interaction}/${within}` : within, event };
  }
}

function closedBy(record: RecordEvent, open: ReadonlyMap<string, unknown>): string[] {
  if (record.type === 'RESUMED' || record.type === 'INTERACTION_COMPLETE') return [...open.keys()];
  if (record.type === 'NOTICE') return [...(record.void ?? [])];
  return 'block_id' in record && record.block_id ? [record.block_id] : [];
}

function streamOf(bytes: () => AsyncIterable<Uint8Array>): Response {
  return new Response(ReadableStream.from(bytes()), {
    headers: { 'content-type': 'text/event-stream' },
  });
}

const END: ChatStreamEvent = {
  type: 'FILE_ADDED',
  chat_id: 'chat',
  file: {
    ...{ id: 'file_end', chat_id: 'chat', filename: 'end', mime_type: 'text/plain' },
    ...{ size_bytes: 0, sha256: '', created_at: '2026-01-15T10:00:00.000Z', owner: 'ann' },
  },
};
