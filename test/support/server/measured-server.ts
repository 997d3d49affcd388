import { openSync, readSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { bootstrap } from '../../../src/bootstrap.js';

// A server that tells what its main thread does, on the Unix socket that it is started with. Linux
// only.

/** Time in which an idle thread uses less than this, in milliseconds. */
const IDLE = { ms: 12, cpu_ms: 2, tries: 500 };
const CALIBRATIONS = 5;
const ROUNDS = 40;

const stat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
const bytes = Buffer.alloc(100);

/** CPU time that the main thread has used, in milliseconds. */
function cpu(): number {
  const read = readSync(stat, bytes, 0, bytes.length, 0);
  return Number.parseInt(bytes.toString('latin1', 0, read), 10) / 1e6;
}

const DOCUMENT = JSON.stringify(
  Array.from({ length: 1_200 }, (_, n) => ({ id: `item_${n}`, text: 'words, and\nmore', at: [n] })),
);

/** CPU time of a fixed piece of work: parsing, writing, and a loop over characters. */
function calibrate(): number {
  const before = cpu();
  let sum = 0;
  for (let round = 0; round < ROUNDS; round++) {
    sum += JSON.stringify(JSON.parse(DOCUMENT)).length;
    for (let at = 0; at < DOCUMENT.length; at++) sum = (sum * 31 + DOCUMENT.charCodeAt(at)) | 0;
  }
  return cpu() - before + (sum === 0 ? 1 : 0);
}

/** The longest time for which timers have waited for the thread's work, and the whole time. */
class Watch {
  private readonly began = cpu();
  private last = this.began;
  private hold = 0;
  private timer = setTimeout(() => this.look(), 1);

  private look(): void {
    const now = cpu();
    this.hold = Math.max(this.hold, now - this.last);
    this.last = now;
    this.timer = setTimeout(() => this.look(), 1);
  }

  async end(): Promise<{ hold: number; total: number }> {
    for (let tries = 0; tries < IDLE.tries; tries++) {
      const before = cpu();
      await sleep(IDLE.ms);
      if (cpu() - before < IDLE.cpu_ms) break;
    }
    clearTimeout(this.timer);
    return { hold: this.hold, total: cpu() - this.began };
  }
}

let watch: Watch | undefined;
const ANSWERS: Readonly<Record<string, () => unknown>> = {
  calibrate: () => Array.from({ length: CALIBRATIONS }, calibrate).sort((a, b) => a - b)[2],
  begin: () => void (watch = new Watch()),
  end: () => watch?.end(),
};
createServer((socket) => {
  createInterface(socket).on('line', (line) => void answer(socket, line));
})
  .listen(process.argv[2])
  .unref();

async function answer(socket: Socket, line: string): Promise<void> {
  socket.write(`${JSON.stringify((await ANSWERS[line]?.()) ?? null)}\n`);
}

await bootstrap();
