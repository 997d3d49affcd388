import { Observable } from 'rxjs';
import type { Subscriber } from 'rxjs';
import { LiveBus } from '../../../src/event-log/live/live-bus.js';
import type { Frame, Snapshot } from '../../../src/event-log/live/live-bus.js';
import { LocalLiveBus } from '../../../src/event-log/live/local/local-live-bus.js';
import { random } from '../random.js';

export interface BusFaults {
  readonly seed: number;
  /** How often a listener doesn't get a frame, or gets it twice; 0 to 1. */
  readonly loss: number;
  readonly repeat: number;
  /** How often a snapshot is one frame old, or that of the run before. */
  readonly stale: number;
}

/** What one run has published: as its own process sees it, and one frame later. */
class RunView {
  readonly now = new LocalLiveBus();
  readonly late = new LocalLiveBus();
  private last: Frame | undefined;

  publish(interactionId: string, frame: Frame): void {
    this.now.publish(interactionId, frame);
    if (this.last) this.late.publish(interactionId, this.last);
    this.last = frame;
  }
}

/**
 * What a pub/sub between processes may be at its worst: it loses and repeats frames, and lost runs
 * go on talking.
 */
export class UnreliableLiveBus extends LiveBus {
  readonly awaySince = undefined;
  readonly refusedSince = undefined;
  private readonly runs = new Map<number, RunView>();
  private readonly listeners = new Set<Subscriber<Frame>>();
  private readonly past: Frame[] = [];
  private readonly random: () => number;

  /** Loses nothing while this is set, and its snapshots are up to date. */
  calm = false;

  constructor(private readonly faults: BusFaults) {
    super();
    this.random = random(faults.seed);
  }

  publish(interactionId: string, frame: Frame): void {
    let run = this.runs.get(frame.epoch);
    if (!run) this.runs.set(frame.epoch, (run = new RunView()));
    run.publish(interactionId, frame);
    this.past.push(frame);
    for (const listener of this.listeners) {
      if (!this.calm && this.happens(this.faults.loss)) continue;
      listener.next(frame);
      if (this.happens(this.faults.repeat)) listener.next(frame);
    }
  }

  /** Delivers a frame of the past once more. */
  repeat(index: number): void {
    const frame = this.past[index % this.past.length];
    if (frame) for (const listener of this.listeners) listener.next(frame);
  }

  begin(): void {}

  open(): void {}

  close(interactionId: string, epoch: number): void {
    const run = this.runs.get(epoch);
    run?.now.close(interactionId, epoch);
    run?.late.close(interactionId, epoch);
  }

  frames(): Observable<Frame> {
    return new Observable((listener) => {
      this.listeners.add(listener);
      return () => this.listeners.delete(listener);
    });
  }

  async snapshot(interactionId: string): Promise<Snapshot | undefined> {
    const [newest, before] = [...this.runs.entries()]
      .sort(([a], [b]) => b - a)
      .map(([, run]) => run);
    if (this.calm || !this.happens(this.faults.stale)) return newest?.now.snapshot(interactionId);
    const view = this.happens(0.5) ? newest?.late : before?.now;
    return view?.snapshot(interactionId);
  }

  noteChange(): void {}

  onChange(): () => void {
    return () => {};
  }

  wake(): void {}

  onWake(): () => void {
    return () => {};
  }

  noteReader(): void {}

  onReader(): () => void {
    return () => {};
  }

  async hasReadersElsewhere(): Promise<boolean> {
    return false;
  }

  private happens(rate: number): boolean {
    return rate > 0 && this.random() < rate;
  }
}
