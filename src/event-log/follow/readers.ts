import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Observable, Subject } from 'rxjs';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { Periodic } from '../../kernel/async/periodic.js';
import { RecordStore } from '../../persistence/record.store.js';
import { LiveBus } from '../live/live-bus.js';
import { Follower } from './follower.js';
import type { FollowOptions, FollowedEvent } from './follower.js';

/** Maximum transfer time of a frame between processes, in milliseconds; after that it was lost. */
const ARRIVAL_MS = 250;

/**
 * Number of readers of an interaction through this process, after one joined, or left before the
 * end.
 */
export interface ReaderCount {
  readonly interaction_id: string;
  readonly count: number;
}

/** All readers of interactions through this process. */
@Injectable()
export class Readers implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly followers = new Map<string, Set<Follower>>();
  private readonly counts = new Subject<ReaderCount>();
  private readonly rounds: Periodic;

  constructor(
    private readonly records: RecordStore,
    private readonly bus: LiveBus,
    config: Config,
    clock: Clock,
  ) {
    const run = (): Promise<void> => this.checkTails();
    this.rounds = new Periodic(clock, { name: 'Readers', every_ms: config.heartbeatMs, run });
  }

  /**
   * At each heartbeat compares the readers' positions with the store: one query for all of them.
   */
  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  onApplicationShutdown(): void {
    void this.rounds.stop();
  }

  /**
   * The events after the cursor, then live. Completes after the last one; fails when the store
   * does.
   */
  follow(options: FollowOptions): Observable<FollowedEvent> {
    const id = options.interaction_id;
    return new Observable<FollowedEvent>((reader) => {
      const { records, bus } = this;
      const follower = new Follower({ records, bus }, options, {
        next: (event) => reader.next(event),
        error: (error) => {
          this.remove(id, follower);
          reader.error(error);
        },
        complete: () => {
          this.remove(id, follower);
          reader.complete();
        },
      });
      this.add(id, follower);
      void follower.start();
      return () => {
        follower.stop();
        if (this.remove(id, follower)) this.emitCount(id);
      };
    });
  }

  count(interactionId: string): number {
    return this.followers.get(interactionId)?.size ?? 0;
  }

  get countChanges(): Observable<ReaderCount> {
    return this.counts;
  }

  private add(id: string, follower: Follower): void {
    const followers = this.followers.get(id) ?? new Set();
    this.followers.set(id, followers.add(follower));
    this.emitCount(id);
  }

  private remove(id: string, follower: Follower): boolean {
    const followers = this.followers.get(id);
    if (!followers?.delete(follower)) return false;
    if (followers.size === 0) this.followers.delete(id);
    return true;
  }

  private emitCount(interaction_id: string): void {
    this.counts.next({ interaction_id, count: this.count(interaction_id) });
  }

  private async checkTails(): Promise<void> {
    if (this.followers.size === 0) return;
    const asked = [...this.followers].flatMap(([id, followers]) =>
      [...followers].map((follower) => ({ id, follower, seq: follower.seq })),
    );
    const lastSeqs = await this.records.readLastSeqs([...this.followers.keys()]);
    await delay(ARRIVAL_MS, undefined, { ref: false });
    for (const { id, follower, seq } of asked) follower.checkTail(lastSeqs.get(id), seq);
  }
}
