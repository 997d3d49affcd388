import type { AudioService } from '../audio/audio.service.js';
import { SAMPLE_RATE } from '../audio/wav.js';
import type { StreamEvent } from '../event-log/follow/stream-event.js';
import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import type { HeardPart } from '../persistence/rows/intervention-rows.js';
import { SpokenText } from './spoken-text.js';
import type { SpokenSentence } from './spoken-text.js';

const BYTES_PER_MS = (SAMPLE_RATE * 2) / 1000;
/** Audio in one message. */
const FRAME_BYTES = 100 * BYTES_PER_MS;
/** Audio that a client has before it can play it: later sentences may never be heard. */
const LEAD_MS = 8_000;
/** Audio of one sentence: an endpoint that goes on after it is not waited for. */
const MAX_SENTENCE_MS = 120_000;
/** Sentences that wait. Those after them are shown and not spoken. */
const MAX_WAITING = 1_000;

/** Takes the audio, at the pace of the client. */
export interface AudioSink {
  /** @param pcm 16 bits, mono, 24 kHz, little-endian */
  send(pcm: Uint8Array): Promise<void>;
}

interface SpokenAnswerOptions {
  readonly interaction_id: string;
  readonly agent_id: string;
  readonly voice: string | undefined;
  readonly audio: AudioService;
  readonly clock: Clock;
  readonly sink: AudioSink;
}

interface Played extends SpokenSentence {
  /** Where it begins in the audio of the answer. */
  readonly start_ms: number;
}

/**
 * Speaks the texts of an interaction's root agent, sentence by sentence, while they are written,
 * and knows which of them were heard.
 */
export class SpokenAnswer {
  private readonly stopping = new AbortController();
  private readonly texts = new Map<string, SpokenText>();
  private waiting: SpokenSentence[] = [];
  private readonly begun: Played[] = [];
  private isWritten = false;
  private sent_ms = 0;
  /** When all that was sent will have been played. */
  private end_ms = 0;
  private wake = (): void => {};
  private stopped_ms: number | undefined;

  constructor(private readonly options: SpokenAnswerOptions) {}

  get interactionId(): string {
    return this.options.interaction_id;
  }

  /** True from its first text on, until it was played or stopped. */
  get isAnswering(): boolean {
    return this.texts.size > 0 && !this.stopping.signal.aborted;
  }

  get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  /** An event of the interaction. */
  take(event: StreamEvent): void {
    if (event.agent_id !== this.options.agent_id || this.isStopped) return;
    switch (event.type) {
      case 'TEXT_DELTA':
        return this.queue(this.textOf(event.block_id).add(event.delta));
      case 'MESSAGE':
        return this.queue(this.texts.get(event.block_id)?.end() ?? []);
      case 'ANSWER':
        if (event.partial) return this.write();
        this.queue(this.texts.get(event.block_id)?.end() ?? []);
        return this.write();
      case 'NOTICE':
        if (event.void) this.forget(event.void);
        return undefined;
      case 'RESUMED':
        return this.forget([...this.texts.keys()]);
      case 'INTERACTION_COMPLETE':
        // By another client: what was not played yet is not to be heard.
        return event.status === 'CANCELLED' ? this.stop() : this.write();
      default:
        return undefined;
    }
  }

  /**
   * Resolves when all was sent.
   * @throws AppError, ModelError of the provider; nothing more is spoken then
   */
  async speak(): Promise<void> {
    for (;;) {
      const sentence = this.waiting.shift();
      if (sentence) await this.speakOne(sentence);
      else if (this.isWritten || this.isStopped) return;
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** Resolves when what was sent has been played, or it is stopped. */
  async played(): Promise<void> {
    await this.pause(this.left_ms);
  }

  /** No more audio from now on. */
  stop(): void {
    if (this.isStopped) return;
    this.stopped_ms = this.sent_ms - this.left_ms;
    this.waiting = [];
    this.stopping.abort();
    this.wake();
  }

  /**
   * The text up to the sentence that was being played. Undefined where none was.
   * @param audio_end_ms of the audio that was played; unless given, as long as it could be
   */
  heard(audio_end_ms?: number): HeardPart | undefined {
    const sent = this.sent_ms - (this.stopped_ms === undefined ? this.left_ms : 0);
    const most = this.stopped_ms ?? sent;
    const heard_ms = Math.round(Math.min(audio_end_ms ?? most, this.sent_ms));
    const last = this.begun.findLast(({ start_ms }) => start_ms < heard_ms);
    if (last) return { block_id: last.block_id, length: last.end, heard_ms };
    const [first] = this.begun.length > 0 ? this.begun : [...this.texts.keys()].map(none);
    return first && { block_id: first.block_id, length: 0, heard_ms: 0 };
  }

  private textOf(blockId: string): SpokenText {
    const known = this.texts.get(blockId);
    if (known) return known;
    const text = new SpokenText(blockId);
    this.texts.set(blockId, text);
    return text;
  }

  private queue(sentences: readonly SpokenSentence[]): void {
    this.waiting.push(...sentences.slice(0, MAX_WAITING - this.waiting.length));
    this.wake();
  }

  private write(): void {
    this.isWritten = true;
    this.wake();
  }

  private forget(blocks: readonly string[]): void {
    for (const block of blocks) this.texts.delete(block);
    this.waiting = this.waiting.filter(({ block_id }) => !blocks.includes(block_id));
  }

  private async speakOne(sentence: SpokenSentence): Promise<void> {
    const { audio, voice } = this.options;
    const { signal } = this.stopping;
    try {
      await this.pause(this.left_ms - LEAD_MS);
      const request = { text: sentence.text, format: 'pcm', ...(voice && { voice }) } as const;
      const { chunks } = await audio.speak(request, signal);
      this.begun.push({ ...sentence, start_ms: this.sent_ms });
      await this.sendAll(chunks);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private async sendAll(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const most_ms = this.sent_ms + MAX_SENTENCE_MS;
    let rest = Buffer.alloc(0);
    for await (const chunk of chunks) {
      if (this.sent_ms > most_ms) throw endless();
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= FRAME_BYTES) {
        await this.send(rest.subarray(0, FRAME_BYTES));
        rest = rest.subarray(FRAME_BYTES);
      }
    }
    const whole = rest.length - (rest.length % 2);
    if (whole > 0) await this.send(rest.subarray(0, whole));
  }

  private async send(pcm: Uint8Array): Promise<void> {
    await this.pause(this.left_ms - LEAD_MS);
    if (this.isStopped) return;
    const ms = pcm.length / BYTES_PER_MS;
    this.end_ms = Math.max(this.options.clock.monotonic(), this.end_ms) + ms;
    this.sent_ms += ms;
    await this.options.sink.send(pcm);
  }

  private get left_ms(): number {
    return Math.max(0, this.end_ms - this.options.clock.monotonic());
  }

  private async pause(ms: number): Promise<void> {
    if (ms > 0) await this.options.clock.sleep(ms, this.stopping.signal).catch(() => {});
  }
}

function endless(): AppError {
  const message = `The endpoint speaks one sentence for more than ${MAX_SENTENCE_MS / 1000} s.`;
  return new AppError('unavailable', 'speech_too_long', message);
}

function none(block_id: string): Pick<Played, 'block_id'> {
  return { block_id };
}
