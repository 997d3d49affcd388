import { Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Clock } from '../kernel/clock.js';
import { AppError } from '../kernel/app-error.js';
import type { RecordStore } from '../persistence/record.store.js';
import type { Spill } from './spill/spill.js';

export interface StoreWatchOptions {
  /** How the operator knows the store: `database`. */
  readonly name: string;
  /** How long it may take to answer, in milliseconds. */
  readonly patience_ms: number;
  /** Called when what an interaction could not save is settled: it may go on. */
  readonly onSaved: (interactionId: string) => void;
}

export interface StoreWatchDeps {
  readonly records: RecordStore;
  readonly spill: Spill;
  readonly clock: Clock;
}

/** Since when something is so, as people and as timers read it. */
interface Since {
  readonly at: Date;
  readonly monotonic: number;
}

const INTERVAL_MS = 1000;
/** Writes that fail for less than this are only being tried again. */
const HICCUP_MS = 1000;
/** Somebody tries to write more often than this while there is something to write: the sweep takes up what was cut off. */
const FORGET_MS = 8000;

/** Knows whether the store can be reached and written, and saves what is unsaved as soon as it can. */
export class StoreHealth implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Store');
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> | undefined;
  private unreachable: Since | undefined;
  private unwritable: (Since & { last: number }) | undefined;

  constructor(
    private readonly deps: StoreWatchDeps,
    private readonly options: StoreWatchOptions,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.timer = setInterval(() => void this.check(), INTERVAL_MS).unref();
    await this.check(); // what earlier processes have left is saved before the sweep looks
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.checking;
  }

  get name(): string {
    return this.options.name;
  }

  /** Since when it doesn't answer; undefined while it does. */
  get unreachableSince(): Date | undefined {
    return this.unreachable?.at;
  }

  /** Since when it doesn't answer, or takes nothing; undefined while all is well. */
  get awaySince(): Date | undefined {
    if (this.unreachable) return this.unreachable.at;
    if (!this.unwritable) return undefined;
    const now = this.deps.clock.monotonic();
    const { at, monotonic, last } = this.unwritable;
    return now - monotonic >= HICCUP_MS && now - last < FORGET_MS ? at : undefined;
  }

  noteWritten(): void {
    this.unwritable = undefined;
  }

  noteNotWritten(error: unknown): void {
    if (error instanceof AppError && error.kind !== 'unavailable') return; // the fault of what was written
    const last = this.deps.clock.monotonic();
    const isNew = !this.unwritable || last - this.unwritable.last >= FORGET_MS;
    this.unwritable = { ...(isNew ? this.now() : this.unwritable!), last };
  }

  /** Asks the store now, unless somebody is asking it already. Never rejects. */
  check(): Promise<void> {
    this.checking ??= this.checkNow().finally(() => (this.checking = undefined));
    return this.checking;
  }

  private async checkNow(): Promise<void> {
    const fault = await this.findFault();
    this.note(fault);
    if (fault === undefined) await this.saveUnsaved();
  }

  /** What came in while the process was busy counts, however late it is read. */
  private async findFault(): Promise<unknown> {
    const { patience_ms } = this.options;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Error>((resolve) => {
      const giveUp = (): void => resolve(new Error(`no answer within ${patience_ms} ms`));
      timer = setTimeout(() => setImmediate(giveUp), patience_ms);
    });
    try {
      return await Promise.race([this.deps.records.ping().then(() => undefined, toError), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private note(fault: unknown): void {
    const { name } = this.options;
    if (fault !== undefined && !this.unreachable) {
      this.unreachable = this.now();
      this.logger.warn({
        message: `The ${name} can't be used. Runs wait for it, then stop and go on when it is back.`,
        err: fault,
      });
    } else if (fault === undefined && this.unreachable) {
      const seconds = (this.deps.clock.monotonic() - this.unreachable.monotonic) / 1000;
      this.unreachable = undefined;
      this.logger.log(`The ${name} is back after ${seconds.toFixed(1)} s.`);
    }
  }

  private async saveUnsaved(): Promise<void> {
    for (const id of this.deps.spill.ids()) {
      try {
        const settled = await this.deps.spill.settle(id);
        if (settled === 'saved') this.noteWritten();
        this.options.onSaved(id);
      } catch (error) {
        this.noteNotWritten(error);
        if (error instanceof AppError) return; // it is away again
        this.logger.error(error, `${id}: what it could not save can't be read`);
      }
    }
  }

  private now(): Since {
    return { at: this.deps.clock.now(), monotonic: this.deps.clock.monotonic() };
  }
}

function toError(error: unknown): unknown {
  return error ?? new Error('no reason given');
}
