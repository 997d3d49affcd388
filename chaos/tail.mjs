import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { watch } from 'node:fs';
import { EventEmitter } from 'node:events';

/** Tells of the effects of tools as they are written. */
export class Tail {
  #news = new EventEmitter();
  #watcher;
  #file;
  #at = 0;
  #rest = '';
  #reading = Promise.resolve();

  async follow(path) {
    this.#news.setMaxListeners(0);
    this.#file = await open(path);
    this.#watcher = watch(path, () => {
      this.#reading = this.#reading.then(() => this.#read());
    });
  }

  /** The next that a process begins; undefined when it begins none in time. */
  async next(pid, limit_ms) {
    const signal = AbortSignal.timeout(limit_ms);
    try {
      return (await once(this.#news, String(pid), { signal }))[0];
    } catch {
      return undefined;
    }
  }

  async stop() {
    this.#watcher.close();
    await this.#reading;
    await this.#file.close();
  }

  async #read() {
    const buffer = Buffer.alloc(64 * 1024);
    const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, this.#at);
    this.#at += bytesRead;
    const lines = `${this.#rest}${buffer.toString('utf8', 0, bytesRead)}`.split('\n');
    this.#rest = lines.pop();
    for (const effect of lines.map((line) => JSON.parse(line)))
      if (effect.phase === 'begin') this.#news.emit(String(effect.pid), effect);
    if (bytesRead === buffer.length) await this.#read();
  }
}
