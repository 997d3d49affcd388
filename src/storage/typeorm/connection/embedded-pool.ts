import pg from 'pg';
import { AppError } from '../../../kernel/app-error.js';

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: unknown) => void,
) => void;

/** How long the connection may stay with one holder while others wait, in milliseconds. */
export const EMBEDDED_WAIT_MS = 4000;

/**
 * The pool of one: it hands out the embedded database's only connection exclusively, so that no statement lands inside somebody else's
 * transaction. Who waits while it comes back and goes out again waits on; who waits while one holder keeps it most likely waits for
 * itself, and is told so.
 */
export class EmbeddedPool extends pg.Pool {
  /** How often the connection was handed out. */
  private handouts = 0;

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
    for (;;) {
      const before = this.handouts;
      try {
        const client = await super.connect();
        this.handouts++;
        return client;
      } catch (error) {
        if (!isTimeout(error)) throw error;
        if (this.handouts === before) throw waitsForItself(error);
      }
    }
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('timeout exceeded');
}

function waitsForItself(cause: unknown): AppError {
  return new AppError(
    'internal',
    'transaction_waits_for_itself',
    `A statement waited ${EMBEDDED_WAIT_MS / 1000} s for the embedded database's only connection: a transaction waits for itself. ` +
      'Run every statement of a transaction through the transaction, or set DATABASE_URL to use a Postgres server.',
    { cause },
  );
}
