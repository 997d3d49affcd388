import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PGlite } from '@electric-sql/pglite';

const TERMINATE = 'X'.charCodeAt(0);

/**
 * What `pg` takes for its network connection: it speaks Postgres's wire protocol to a PGlite in this process. There is only one session
 * behind it, so there must be only one of these at a time, which is the pool's business (`EmbeddedPool`).
 */
export class PgliteSocket extends Duplex {
  constructor(private readonly db: PGlite) {
    super({ autoDestroy: true });
  }

  connect(): this {
    this.#reset().then(
      () => this.emit('connect'),
      (error: Error) => this.destroy(error),
    );
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {
    // Answers are pushed as they come: each is whole, and `pg` asked for it.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#send(chunk).then(() => done(), done);
  }

  /** A query is several messages; those that were written in one go are executed in one go. */
  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(() => done(), done);
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  /** The session outlives its connections; a new one must not meet what the last one left open or prepared. */
  async #reset(): Promise<void> {
    await this.db.exec('ROLLBACK');
    await this.db.exec('DISCARD ALL');
  }

  async #send(messages: Buffer): Promise<void> {
    if (messages[0] === TERMINATE) return;
    // As with a network: statement upon statement must leave timers and real sockets their turn.
    await nextTurn();
    await this.db.runExclusive(() =>
      // Not `execProtocolRaw`, which parses every answer a second time and keeps it for ever. What is handed out is the database's memory.
      this.db.execProtocolRawStream(messages, {
        onRawData: (answer) => void this.push(Buffer.from(answer)),
      }),
    );
  }
}
