import { fsyncSync, openSync, writeSync } from 'node:fs';

/** Lines of JSON that many processes append to; each is durable before `append` returns. */
export class EffectsFile {
  #file;

  constructor(path) {
    this.#file = openSync(path, 'a');
  }

  append(effect) {
    writeSync(this.#file, `${JSON.stringify({ ...effect, pid: process.pid })}\n`);
    fsyncSync(this.#file);
  }
}
