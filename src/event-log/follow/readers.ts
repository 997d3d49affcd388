import { setTimeout as delay } from 'node:timers/promises';
import { Follower } from './follower.js';
import type { FollowOptions, FollowSink, FollowerDeps } from './follower.js';

/** What is on its way between processes gets so long to arrive, in milliseconds. What is missing then was lost. */
const ARRIVAL_MS = 250;

export type ReaderCountListener = (interactionId: string, count: number) => void;

export interface Reading {
  /** Resolves when what is said from now on is heard. */
  readonly live: Promise<void>;
  /** To be called when the reader is gone. */
  leave(): void;
}

/** Everybody who reads an interaction through this process. */
export class Readers {
  private readonly followers = new Map<string, Set<Follower>>();
  private readonly listeners = new Set<ReaderCountListener>();
  private timer: NodeJS.Timeout | undefined;
  private checking = false;

  constructor(private readonly deps: FollowerDeps) {}

  /** Compares where readers stand with the store, every `interval` milliseconds: one query for all of them. */
  startTailCheck(interval: number): void {
    this.timer = setInterval(() => void this.checkTails(), interval).unref();
  }

  stopTailCheck(): void {
    clearInterval(this.timer);
  }

  /** Starts to follow for one reader. */
  follow(options: FollowOptions, sink: FollowSink): Reading {
    const id = options.interaction_id;
    const leave = (): void => {
      follower.stop();
      if (this.remove(id, follower)) this.tell(id);
    };
    const follower = new Follower(this.deps, options, {
      event: (cursor, event) => sink.event(cursor, event),
      flush: () => sink.flush(),
      drained: () => sink.drained(),
      end: (error) => {
        this.remove(id, follower);
        sink.end(error);
      },
    });
    this.add(id, follower);
    return { live: follower.start(), leave };
  }

  count(interactionId: string): number {
    return this.followers.get(interactionId)?.size ?? 0;
  }

  /** Tells who comes, and who leaves before the end. */
  onCountChange(listener: ReaderCountListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private add(id: string, follower: Follower): void {
    const followers = this.followers.get(id) ?? new Set();
    this.followers.set(id, followers.add(follower));
    this.tell(id);
  }

  private remove(id: string, follower: Follower): boolean {
    const followers = this.followers.get(id);
    if (!followers?.delete(follower)) return false;
    if (followers.size === 0) this.followers.delete(id);
    return true;
  }

  private tell(id: string): void {
    for (const listener of this.listeners) listener(id, this.count(id));
  }

  private async checkTails(): Promise<void> {
    if (this.checking || this.followers.size === 0) return;
    this.checking = true;
    try {
      const ids = [...this.followers.keys()];
      const lastSeqs = await this.deps.records.readLastSeqs(ids);
      await delay(ARRIVAL_MS, undefined, { ref: false });
      for (const id of ids)
        for (const follower of this.followers.get(id) ?? []) follower.checkTail(lastSeqs.get(id));
    } catch {
      // The store is away; the next check comes anyway.
    } finally {
      this.checking = false;
    }
  }
}
