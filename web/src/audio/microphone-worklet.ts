/** Microphones as PCM of 16 bits, mono, 24 kHz, in messages of 40 ms; this runs beside the page. */
const SAMPLE_RATE = 24_000;
const FRAME_SAMPLES = 960;

declare const sampleRate: number;
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}

class Microphone extends AudioWorkletProcessor {
  private frame = new Int16Array(FRAME_SAMPLES);
  private filled = 0;
  /** Sum of the samples that make the next one. */
  private sum = 0;
  private count = 0;
  /** Progress to the next one, 0 to 1. */
  private progress = 0;

  process([channels]: readonly (readonly Float32Array[])[]): boolean {
    for (const sample of channels?.[0] ?? []) {
      this.sum += sample;
      this.count++;
      this.progress += SAMPLE_RATE / sampleRate;
      // More than once where the device has fewer samples.
      for (; this.progress >= 1; this.progress--) this.add(this.sum / this.count);
      if (this.progress < SAMPLE_RATE / sampleRate) this.sum = this.count = 0;
    }
    return true;
  }

  private add(sample: number): void {
    this.frame[this.filled++] = Math.max(-1, Math.min(1, sample)) * 32_767;
    if (this.filled < FRAME_SAMPLES) return;
    this.port.postMessage(this.frame.buffer, [this.frame.buffer]);
    this.frame = new Int16Array(FRAME_SAMPLES);
    this.filled = 0;
  }
}

registerProcessor('microphone', Microphone);
