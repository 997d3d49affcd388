import type { Database } from './database.js';
import type { Statement } from './database.js';

/** Smallest first, so that most of it is done early. */
const STATEMENTS: Statement = {
  text: `SELECT format('VACUUM %I', relname) AS text FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relpages, relname`,
};

/**
 * Makes room that deleted and replaced rows took usable again: the embedded database, unlike a server, doesn't do that by itself. A table is
 * gone through as far as it has changed since the last time (1 ms for one that hasn't, 70 ms per 100 MB at most), and nobody is waited
 * for in between: each table is a statement of its own.
 */
export class Vacuum {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private stopped = false;

  /** @param pauseMs how long what makes room necessary is collected */
  constructor(
    private readonly database: Database,
    private readonly pauseMs: number,
  ) {}

  /** Soon, and once however often it is asked for until then. */
  request(): void {
    if (this.stopped) return;
    this.timer ??= setTimeout(() => this.begin(), this.pauseMs).unref();
  }

  /** Resolves when nothing of it is under way any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private begin(): void {
    this.timer = undefined;
    const before = this.running ?? Promise.resolve();
    this.running = before.then(() => this.run()).catch(() => {}); // the next time does it
  }

  private async run(): Promise<void> {
    const statements = await this.database.query<{ text: string }>(STATEMENTS, []);
    for (const { text } of statements) {
      if (this.stopped) return;
      await this.database.query({ text }, []);
    }
  }
}
