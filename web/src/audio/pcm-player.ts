const SAMPLE_RATE = 24_000;
const SAMPLE_BYTES = 2;
/** Time for the first chunk to be decoded before it is due, in seconds. */
const LEAD_S = 0.05;

/** Plays PCM of 16 bits, mono, 24 kHz, little-endian, without gaps between its chunks. */
export class PcmPlayer {
  private readonly context = new AudioContext({ sampleRate: SAMPLE_RATE });
  private readonly playing = new Set<AudioBufferSourceNode>();
  /** The first half of a sample whose second has not come. */
  private half = new Uint8Array();
  /** Where the next chunk begins, in seconds of the context. */
  private next = 0;

  /** Sound that is there but not heard yet, in milliseconds. */
  get leftMs(): number {
    return Math.max(0, this.next - this.context.currentTime) * 1000;
  }

  push(chunk: Uint8Array): void {
    const bytes = new Uint8Array([...this.half, ...chunk]);
    const count = Math.floor(bytes.length / SAMPLE_BYTES);
    this.half = bytes.slice(count * SAMPLE_BYTES);
    if (count === 0) return;
    const view = new DataView(bytes.buffer);
    const buffer = this.context.createBuffer(1, count, SAMPLE_RATE);
    const samples = buffer.getChannelData(0);
    for (let at = 0; at < count; at++)
      samples[at] = view.getInt16(at * SAMPLE_BYTES, true) / 32_768;
    const source = this.context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.context.destination);
    source.addEventListener('ended', () => this.playing.delete(source));
    this.playing.add(source);
    this.next = Math.max(this.next, this.context.currentTime + LEAD_S);
    source.start(this.next);
    this.next += buffer.duration;
  }

  /** Falls silent at once. */
  clear(): void {
    for (const source of this.playing) source.stop();
    this.playing.clear();
    this.half = new Uint8Array();
    this.next = 0;
  }

  /** Resolves when no more than so many milliseconds are left, or it was aborted. */
  async drained(leftMs: number, signal: AbortSignal): Promise<void> {
    while (this.leftMs > leftMs && !signal.aborted)
      await new Promise((resolve) => setTimeout(resolve, Math.min(100, this.leftMs - leftMs)));
  }

  close(): Promise<void> {
    return this.context.close();
  }
}
