import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { Unowned } from '../../persistence/rows/lease-rows.js';
import { RunQueue } from '../../queue/run-queue.js';
import { SUSPECT_LOSSES } from '../closing/crash-loop.js';
import type { Quarantine } from '../scope/health/run-health.js';

/**
 * Pauses before a suspect is retried, in milliseconds, by the number of its losses alone; the last
 * one is for all further losses. A process that does not survive the pause does not retry it: so a
 * loss alone counts only where the process lived on without the suspect.
 */
export const PAUSES_MS: readonly number[] = [0, 0, 1_000, 5_000, 30_000];

/**
 * Time after which an interaction that is still unowned may have been lost by the queue, in
 * milliseconds.
 */
const OVERDUE_MS = 10_000;

/** An interaction that should run and has no owner. */
export interface Found extends Unowned {
  /** Time since this process found it first, in milliseconds. */
  readonly found_ms: number;
}

/** Suspects that were lost in the same way. */
type LossClass = Pick<Unowned, 'alone_losses' | 'trial'>;

/**
 * Retries interactions whose run was lost. Suspects run in groups, one group at a time: each crash
 * halves the groups, until a poison message runs alone among suspects, while the others are cleared
 * together. Whatever is not suspected runs beside them.
 */
@Injectable()
export class CrashQuarantine implements Quarantine {
  /** Members of the group that are neither healthy nor over. */
  private readonly members = new Set<string>();
  private group: LossClass & { readonly size: number } = { alone_losses: 0, trial: 0, size: 0 };
  private onRelease: () => void = () => {};

  constructor(
    private readonly queue: RunQueue,
    private readonly config: Config,
  ) {}

  /** `listener` is called when the next group may run, to look for unowned interactions again. */
  subscribe(listener: () => void): void {
    this.onRelease = listener;
  }

  /**
   * Enqueues the interactions that may run now. Lost and overdue ones are kept in this process: a
   * shared queue may have lost them, and a group is one process's. Returns the time until the next
   * pause ends, in milliseconds.
   */
  enqueue(found: readonly Found[]): number | undefined {
    const suspects = found.filter(isSuspect);
    const pauses = new Map(suspects.map((each) => [each.id, this.pauseOf(each) - each.found_ms]));
    if (this.members.size === 0) this.form(suspects.filter(({ id }) => pauses.get(id)! <= 0));
    for (const each of found) {
      const isMember = this.members.has(each.id);
      const isLocal = isMember || each.is_lost || each.found_ms >= OVERDUE_MS;
      if (isMember || !isSuspect(each))
        this.queue.enqueue(each.id, isLocal ? { affinity: 'local' } : {});
    }
    const ahead = [...pauses.values()].filter((pause) => pause > 0);
    return ahead.length > 0 ? Math.min(...ahead) : undefined;
  }

  trialOf(interactionId: string): number {
    return this.members.has(interactionId) ? this.group.size : 0;
  }

  release(interactionId: string): void {
    if (this.members.delete(interactionId) && this.members.size === 0) this.onRelease();
  }

  private form(candidates: readonly Unowned[]): void {
    const [head] = candidates.toSorted(byUrgency);
    if (!head) return;
    const { alone_losses, trial } = head;
    const mates = candidates.filter((each) => isSameClass(each, head)).slice(0, this.capOf(head));
    this.group = { alone_losses, trial, size: mates.length };
    for (const { id } of mates) this.members.add(id);
  }

  /**
   * Half of the group that was lost; twice the size of the last group if that was of the same
   * class, because this process has survived it.
   */
  private capOf(head: LossClass): number {
    if (head.trial === 0) return Infinity;
    const survived = isSameClass(this.group, head) ? this.group.size : 0;
    return Math.max(1, Math.floor(head.trial / 2), 2 * survived);
  }

  /** None before the run that gives it up. */
  private pauseOf({ alone_losses }: LossClass): number {
    if (alone_losses >= this.config.crashLoopLimit) return 0;
    return PAUSES_MS[Math.min(alone_losses, PAUSES_MS.length - 1)]!;
  }
}

function isSuspect({ losses }: Unowned): boolean {
  return losses >= SUSPECT_LOSSES;
}

function isSameClass(a: LossClass, b: LossClass): boolean {
  return a.alone_losses === b.alone_losses && a.trial === b.trial;
}

/** The least suspicious first; then those never tried, then those lost in the largest group. */
function byUrgency(a: LossClass, b: LossClass): number {
  const [left, right] = [a, b].map(({ trial }) => (trial === 0 ? Infinity : trial));
  return a.alone_losses - b.alone_losses || (left === right ? 0 : right! - left!);
}
