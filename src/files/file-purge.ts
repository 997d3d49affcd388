import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Clock } from '../kernel/clock.js';
import { outsideTenants } from '../kernel/tenant-scope.js';
import { Telemetry } from '../telemetry/telemetry.js';
import { FileCatalog } from './file-catalog.js';
import { FileStore } from './file-store.js';
import { idIn, keyOf } from './file-key.js';

const RETRY_MS = 30_000;
const SWEEP_MS = 3_600_000;
const DAY_MS = 86_400_000;
const SLICE = 200;

/**
 * Removes the bytes of deleted files, at once or, while the store is away, soon after. At the start
 * and every hour it also removes bytes without a row, which interrupted uploads left, and the files
 * without a chat that are older than `RETENTION_DAYS`. Each process does.
 */
@Injectable()
export class FilePurge implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(FilePurge.name);
  private readonly stopping = new AbortController();
  private readonly callOff = new Map<string, () => void>();
  private running = Promise.resolve();
  private isRequested = false;

  constructor(
    private readonly catalog: FileCatalog,
    private readonly bytes: FileStore,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
  ) {}

  onApplicationBootstrap(): void {
    this.startSweep();
    this.request();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    for (const callOff of this.callOff.values()) callOff();
    await this.running;
  }

  /** Removes what was deleted, in the background. */
  request(): void {
    if (this.isRequested) return;
    this.isRequested = true;
    this.run(async () => {
      this.isRequested = false;
      await this.purge();
    }, 'purge');
  }

  private startSweep(): void {
    this.later('sweep', SWEEP_MS, () => this.startSweep());
    this.run(() => this.sweep(), 'sweep');
  }

  /** Runs work serially, for all tenants, whichever request asks. Failed work is tried again. */
  private run(work: () => Promise<void>, name: 'purge' | 'sweep'): void {
    const all = (): Promise<void> => outsideTenants(work);
    this.running = this.running.then(all).catch((err: unknown) => {
      if (this.stopping.signal.aborted) return;
      this.logger.debug({ message: `The ${name} of files was not completed.`, err });
      const again = (): void => (name === 'purge' ? this.request() : this.startSweep());
      this.later(name, RETRY_MS, again);
    });
  }

  private later(name: string, milliseconds: number, call: () => void): void {
    this.callOff.get(name)?.();
    if (!this.stopping.signal.aborted) this.callOff.set(name, this.clock.after(milliseconds, call));
  }

  private async purge(): Promise<void> {
    for (let after: string | undefined; ;) {
      const slice = await this.catalog.listDeleted({ limit: SLICE, ...(after && { after }) });
      this.telemetry.emit('file_purges_pending', { count: slice.length });
      for (const [done, file] of slice.entries()) {
        this.stopping.signal.throwIfAborted();
        await this.bytes.delete(keyOf(file));
        await this.catalog.remove(file.id);
        this.telemetry.emit('file_purges_pending', { count: slice.length - done - 1 });
      }
      if (slice.length < SLICE) return;
      after = slice.at(-1)?.id;
    }
  }

  private async sweep(): Promise<void> {
    const now = this.clock.now().getTime();
    const { retentionDays } = this.config;
    if (retentionDays > 0) {
      const before = new Date(now - retentionDays * DAY_MS).toISOString();
      if ((await this.catalog.deleteUnattached(before)) > 0) this.request();
    }
    const before = new Date(now - DAY_MS);
    await this.bytes.removeUnfinished(before);
    let keys: string[] = [];
    for await (const { key, stored_at } of this.bytes.list()) {
      this.stopping.signal.throwIfAborted();
      if (stored_at < before && idIn(key) !== undefined) keys.push(key);
      if (keys.length < SLICE) continue;
      await this.removeUnknown(keys);
      keys = [];
    }
    await this.removeUnknown(keys);
  }

  private async removeUnknown(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const known = new Set(await this.catalog.findKnown(keys.map((key) => idIn(key)!)));
    for (const key of keys) {
      if (known.has(idIn(key)!)) continue;
      await this.bytes.delete(key);
      this.telemetry.emit('file_swept', undefined);
    }
  }
}
