import type { Database } from './database.js';
import type { Statement } from './database.js';

/** Smallest table first, so that most are finished early. */
const STATEMENTS: Statement = {
  text: `SELECT format('VACUUM %I', relname) AS text FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relpages, relname`,
};

/**
 * Vacuums the embedded database, which has no autovacuum. A table costs 1 ms if it has not changed
 * since the last vacuum, and at most 70 ms per 100 MB; each is a statement of its own, so that
 * other statements run in between.
 */
export class Vacuum {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private stopped = false;

  /** @param pauseMs delay during which further requests are collected into one run */
  constructor(
    private readonly database: Database,
    private readonly pauseMs: number,
  ) {}

  /** Schedules a run; requests before it begins are merged into one. */
  request(): void {
    if (this.stopped) return;
    this.timer ??= setTimeout(() => this.begin(), this.pauseMs).unref();
  }

  /** Resolves when no vacuum is running any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private begin(): void {
    this.timer = undefined;
    const before = this.running ?? Promise.resolve();
    this.running = before.then(() => this.run()).catch(() => {}); // the next run repeats it
  }

  private async run(): Promise<void> {
    const statements = await this.database.query<{ text: string }>(STATEMENTS, []);
    for (const { text } of statements) {
      if (this.stopped) return;
      await this.database.query({ text }, []);
    }
  }
}
