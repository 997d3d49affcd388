const BYTES = 65_536;
const START = 16;
/** Int32 indexes of the control words. */
const WAKE = 0;
const WRITTEN = 1;
const READ = 2;

/** What a worker and the server share: a word to wake the worker with, and a ring of the bytes that it prints. */
export class OutputRing {
  readonly control = new SharedArrayBuffer(START + BYTES);
  private readonly words = new Int32Array(this.control, 0, START / 4);
  private readonly ring = new Uint8Array(this.control, START);

  wake(): void {
    Atomics.store(this.words, WAKE, 1);
    Atomics.notify(this.words, WAKE);
  }

  /** Takes what has been printed since, and lets the worker print on. */
  drain(): Buffer {
    const read = Atomics.load(this.words, READ);
    const written = Atomics.load(this.words, WRITTEN);
    const size = Math.min((written - read) >>> 0, BYTES);
    const from = (read >>> 0) % BYTES;
    const first = this.ring.subarray(from, Math.min(from + size, BYTES));
    const bytes = Buffer.concat([first, this.ring.subarray(0, size - first.length)]);
    Atomics.store(this.words, READ, (read + size) | 0);
    Atomics.notify(this.words, READ);
    return bytes;
  }
}
