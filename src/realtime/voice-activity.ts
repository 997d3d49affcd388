import { SAMPLE_RATE } from '../audio/wav.js';

const SAMPLE_BYTES = 2;
/** Speech is judged by frames of this length. */
const FRAME_MS = 20;
const FRAME_BYTES = bytesOf(FRAME_MS);
/** Loud frames in a row that begin speech: shorter sounds are clicks. */
const ONSET_FRAMES = 3;
/** Silence that ends speech. */
const SILENCE_MS = 700;
/** Audio before the onset that belongs to an utterance: first consonants are quiet. */
const LEAD_IN_MS = 300;
/** Root mean square of 16-bit samples below which a frame is never speech: -40 dBFS. */
const MIN_LOUDNESS = 328;
/** Speech is louder than the noise floor by this factor: 9.5 dB. */
const SPEECH_RATIO = 3;
/**
 * The floor follows the loudness of frames by these parts of the difference: at once to quieter
 * frames, and by half within 14 s to louder ones, so that constant noise ends as silence.
 */
const FALL = 0.5;
const RISE = 0.001;

/** Times are in milliseconds of the audio that was pushed. */
export type VoiceEvent =
  | { readonly type: 'started'; readonly at_ms: number }
  | { readonly type: 'stopped'; readonly at_ms: number; readonly utterance: Buffer };

/**
 * Finds utterances in PCM of 16 bits, mono, 24 kHz, little-endian: by loudness, compared with a
 * noise floor that adapts. An utterance ends after 700 ms of silence, or at its longest.
 */
export class VoiceActivity {
  /** Audio since the last utterance, or of the one that goes on. */
  private kept: Buffer[] = [];
  private keptBytes = 0;
  private rest: Buffer = Buffer.alloc(0);
  private floor = MIN_LOUDNESS / SPEECH_RATIO;
  private frames = 0;
  private loud = 0;
  private quiet = 0;
  private speaking = false;

  /** @param longest_ms of an utterance, and of the audio that `commit` takes */
  constructor(private readonly longest_ms: number) {}

  get isSpeaking(): boolean {
    return this.speaking;
  }

  /** @param pcm of any length in whole samples */
  push(pcm: Uint8Array): VoiceEvent[] {
    const all = Buffer.concat([this.rest, pcm]);
    const events: VoiceEvent[] = [];
    let at = 0;
    for (; at + FRAME_BYTES <= all.length; at += FRAME_BYTES)
      events.push(...this.take(all.subarray(at, at + FRAME_BYTES)));
    this.rest = all.subarray(at);
    return events;
  }

  /** Ends the utterance; without one, it is what was pushed since the last. Undefined: nothing. */
  commit(): Buffer | undefined {
    const utterance = Buffer.concat([...this.kept, this.rest]);
    this.rest = Buffer.alloc(0);
    this.begin();
    return utterance.length > 0 ? utterance : undefined;
  }

  private take(frame: Buffer): VoiceEvent[] {
    this.frames++;
    this.keep(frame);
    const loudness = rootMeanSquare(frame);
    const isLoud = loudness > Math.max(MIN_LOUDNESS, this.floor * SPEECH_RATIO);
    this.floor += (loudness - this.floor) * (loudness < this.floor ? FALL : RISE);
    this.loud = isLoud ? this.loud + 1 : 0;
    this.quiet = isLoud ? 0 : this.quiet + 1;
    if (!this.speaking) return this.loud >= ONSET_FRAMES ? [this.start()] : [];
    const isOver = this.quiet * FRAME_MS >= SILENCE_MS || this.isLongest;
    return isOver ? [this.stop()] : [];
  }

  private start(): VoiceEvent {
    this.speaking = true;
    this.drop(bytesOf(LEAD_IN_MS) + ONSET_FRAMES * FRAME_BYTES);
    return { type: 'started', at_ms: this.now_ms - ONSET_FRAMES * FRAME_MS };
  }

  private stop(): VoiceEvent {
    const utterance = Buffer.concat(this.kept);
    const at_ms = this.now_ms - this.quiet * FRAME_MS;
    this.begin();
    return { type: 'stopped', at_ms, utterance };
  }

  private begin(): void {
    this.kept = [];
    this.keptBytes = 0;
    this.speaking = false;
    this.loud = 0;
    this.quiet = 0;
  }

  private keep(frame: Buffer): void {
    this.kept.push(Buffer.from(frame)); // not the whole message that it came in
    this.keptBytes += frame.length;
    if (!this.speaking) this.drop(bytesOf(this.longest_ms));
  }

  /** Keeps the last bytes. */
  private drop(bytes: number): void {
    let first = 0;
    while (this.keptBytes > bytes) this.keptBytes -= this.kept[first++]!.length;
    if (first > 0) this.kept.splice(0, first);
  }

  private get isLongest(): boolean {
    return this.keptBytes + FRAME_BYTES > bytesOf(this.longest_ms);
  }

  /** The time of the audio so far. */
  get now_ms(): number {
    return this.frames * FRAME_MS;
  }
}

function bytesOf(ms: number): number {
  return ((SAMPLE_RATE * ms) / 1000) * SAMPLE_BYTES;
}

function rootMeanSquare(frame: Buffer): number {
  let sum = 0;
  for (let at = 0; at < frame.length; at += SAMPLE_BYTES) sum += frame.readInt16LE(at) ** 2;
  return Math.sqrt(sum / (frame.length / SAMPLE_BYTES));
}
