/**
 * Layout of the control buffer: Int32 indexes of the bytes written and read, and the offset of the
 * ring buffer in bytes.
 */
const WRITTEN = 1;
const READ = 2;
const PAUSE = 3;
const RING_START = 16;

/**
 * The output of the program: a ring buffer that the server empties. A full buffer blocks the
 * program (back-pressure).
 */
export class Output {
  constructor(control) {
    this.signals = new Int32Array(control, 0, 4);
    this.ring = new Uint8Array(control, RING_START);
  }

  write(bytes) {
    for (let from = 0; from < bytes.length;) {
      const written = Atomics.load(this.signals, WRITTEN);
      const read = Atomics.load(this.signals, READ);
      const room = this.ring.length - ((written - read) | 0);
      if (room === 0) {
        Atomics.wait(this.signals, READ, read);
        continue;
      }
      const at = (written >>> 0) % this.ring.length;
      const count = Math.min(room, bytes.length - from, this.ring.length - at);
      this.ring.set(bytes.subarray(from, from + count), at);
      from += count;
      Atomics.store(this.signals, WRITTEN, (written + count) | 0);
    }
  }

  /** Blocks for `ms` milliseconds. */
  pause(ms) {
    Atomics.wait(this.signals, PAUSE, 0, ms);
  }
}
