import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { AppError } from '../../../kernel/app-error.js';

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: unknown) => void,
) => void;

/** Called when the connection is given to the one that waits. */
type Turn = () => void;

/** Timeout for one holder to keep the connection while others wait, in milliseconds. */
export const EMBEDDED_WAIT_MS = 4000;
/** A time in which nothing runs, because the database or the machine is busy, counts as one. */
const TICKS = 8;

/**
 * A pool of one: it gives exclusive access to the only connection of the embedded database, so that
 * no statement runs inside another transaction, those of runs before those of clients. Waiting
 * continues as long as the connection changes hands. If one holder keeps it, the transaction most
 * likely waits for itself (deadlock), and fails.
 */
export class EmbeddedPool extends pg.Pool {
  /** Number of times the connection was acquired. */
  private handouts = 0;
  private isTaken = false;
  private goesFirst = false;
  /** True while the connection is used for so long on purpose that waiting is no deadlock. */
  isPaused = false;
  /** Timeout for the holder while others wait, in milliseconds. */
  wait_ms = EMBEDDED_WAIT_MS;
  private readonly waiting: { first: Turn[]; others: Turn[] } = { first: [], others: [] };

  constructor(config?: pg.PoolConfig) {
    super(config);
    this.on('release', () => this.next());
  }

  /** `connect` is called at once; it waits only for others that go first too. */
  first<T>(connect: () => T): T {
    this.goesFirst = true;
    try {
      return connect();
    } finally {
      this.goesFirst = false;
    }
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<pg.PoolClient> | void {
    if (!connected) return this.waitInTurn();
    this.waitInTurn().then(
      (client) => connected(undefined, client, (error) => client.release(error as Error)),
      (error: Error) => connected(error, undefined, () => {}),
    );
  }

  private async waitInTurn(): Promise<pg.PoolClient> {
    await this.turn(this.goesFirst ? this.waiting.first : this.waiting.others);
    try {
      return await super.connect();
    } catch (error) {
      this.next();
      throw error;
    }
  }

  private turn(line: Turn[]): Promise<void> | void {
    if (!this.isTaken) return this.take();
    return new Promise((resolve, reject) => {
      let before = this.handouts;
      let ticks = 0;
      const timer = setInterval(() => {
        ticks = this.handouts === before && !this.isPaused ? ticks + 1 : 0;
        before = this.handouts;
        if (ticks < TICKS) return;
        clearInterval(timer);
        line.splice(line.indexOf(turn), 1);
        reject(waitsForItself());
      }, this.wait_ms / TICKS);
      const turn = (): void => {
        clearInterval(timer);
        this.take();
        resolve();
      };
      line.push(turn);
    });
  }

  private take(): void {
    this.isTaken = true;
    this.handouts++;
  }

  private next(): void {
    this.isTaken = false;
    const { first, others } = this.waiting;
    (first.shift() ?? others.shift())?.();
  }
}

function waitsForItself(): AppError {
  return new AppError(
    'internal',
    'transaction_waits_for_itself',
    `A statement waited ${EMBEDDED_WAIT_MS / 1000} s for the embedded database's only connection: a transaction waits for itself. ` +
      'Run every statement of a transaction through the transaction, or set DATABASE_URL to use a Postgres server.',
  );
}

const TERMINATE = 'X'.charCodeAt(0);

/**
 * The network connection of `pg`: speaks the wire protocol of Postgres to a PGlite in this process.
 * PGlite has one session, so only one of these may exist at a time, which `EmbeddedPool` ensures.
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
    // Answers are pushed on arrival: each is complete, and `pg` requested it.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#send(chunk).then(() => done(), done);
  }

  /** A query consists of several messages; those written together are executed together. */
  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(() => done(), done);
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  /**
   * The session outlives its connections; a new one must not see open transactions or prepared
   * statements of the last.
   */
  async #reset(): Promise<void> {
    await this.db.exec('ROLLBACK');
    await this.db.exec('DISCARD ALL');
  }

  async #send(messages: Buffer): Promise<void> {
    if (messages[0] === TERMINATE) return;
    // Timers and real sockets must get a turn between successive statements, as with a network.
    await nextTurn();
    await this.db.runExclusive(() =>
      // Not `execProtocolRaw`, which parses every answer a second time and retains it forever. The
      // buffer passed to the callback is the database's memory.
      this.db.execProtocolRawStream(messages, {
        onRawData: (answer) => void this.push(Buffer.from(answer)),
      }),
    );
  }
}
