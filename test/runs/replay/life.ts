import { setImmediate as nextTick } from 'node:timers/promises';

/**
 * How a process leaves an interaction: it is killed, is told to stop, or is taken for dead and
 * doesn't know it.
 */
export type Death = 'kill' | 'shutdown' | 'zombie';

export interface Fate {
  readonly death: Death;
  /** After so many moments. */
  readonly after: number;
}

class Killed extends Error {}

/**
 * The life of one process: all that takes time in it passes through here, and at some moment it
 * ends.
 */
export class Life {
  isDead = false;
  /** Resolves at the moment that `fate` names. */
  readonly over: Promise<void>;
  private end = (): void => {};
  private left: number;

  constructor(
    readonly fate: Fate | undefined,
    /** Ticks that the next thing takes. */
    private readonly latency: () => number,
    private readonly onMoment: () => void,
  ) {
    this.left = fate?.after ?? Infinity;
    this.over = new Promise((resolve) => (this.end = resolve));
  }

  /** Some time passes. @throws when the process is dead by then */
  async moment(): Promise<void> {
    for (let i = this.latency(); i > 0; i--) await nextTick();
    this.onMoment();
    if (this.left-- === 0) this.reachEnd();
    if (this.isDead) throw new Killed();
  }

  private reachEnd(): void {
    this.isDead = this.fate?.death === 'kill';
    this.end();
  }
}
