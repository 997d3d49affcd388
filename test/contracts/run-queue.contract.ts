import type { RunQueue, RunSlot } from '../../src/queue/run-queue.js';
import { eventually } from '../support/eventually.js';
import { Gate } from '../support/gate.js';
import { interactionId } from './interaction-store/fixtures.js';

export interface OpenedQueue {
  readonly queue: RunQueue;
  close(): Promise<void>;
}

/** What every `RunQueue` must do. `concurrency` is how many it is opened to run at once. */
export function runQueueContract(
  name: string,
  open: (concurrency: number) => Promise<OpenedQueue>,
): void {
  describe(`${name} as a RunQueue`, () => {
    const opened: OpenedQueue[] = [];
    afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

    async function openQueue(concurrency: number): Promise<RunQueue> {
      const each = await open(concurrency);
      opened.push(each);
      return each.queue;
    }

    it('hands out each interaction once', async () => {
      const queue = await openQueue(3);
      const desk = new Desk(queue);
      const ids = Array.from({ length: 20 }, () => interactionId());
      for (const id of ids) queue.enqueue(id);
      await desk.until(() => desk.started.length === 20);
      expect(desk.started.toSorted()).toEqual(ids.toSorted());
      expect(desk.most).toBeLessThanOrEqual(3);
    });

    it('runs as many at once as it may, and the next when one returns', async () => {
      const queue = await openQueue(2);
      const desk = new Desk(queue, { held: true });
      const ids = [1, 2, 3].map(() => interactionId());
      for (const id of ids) queue.enqueue(id);
      await desk.until(() => desk.started.length === 2);
      expect(queue.isImmediate).toBe(false);
      desk.open(desk.started[0]!);
      await desk.until(() => desk.started.length === 3);
      expect(desk.most).toBe(2);
      desk.openAll();
    });

    it('never runs an interaction twice at once; what comes meanwhile runs after it', async () => {
      const queue = await openQueue(2);
      const desk = new Desk(queue, { held: true });
      const [id, other] = [interactionId(), interactionId()];
      queue.enqueue(id);
      await desk.until(() => desk.started.length === 1);
      for (const each of [id, id, other]) queue.enqueue(each);
      await desk.until(() => desk.started.includes(other));
      expect(desk.started).toEqual([id, other]);
      desk.open(id);
      await desk.until(() => desk.started.length === 3);
      expect(desk.started).toEqual([id, other, id]);
      desk.openAll();
    });

    it('hands out what has begun before what is new, each in the order of its coming', async () => {
      const queue = await openQueue(1);
      const desk = new Desk(queue, { held: true });
      const [first, ...ids] = Array.from({ length: 5 }, () => interactionId());
      queue.enqueue(first!, { priority: 'new' });
      await desk.until(() => desk.started.length === 1);
      for (const [n, id] of ids.entries())
        queue.enqueue(id, { priority: n < 2 ? 'new' : 'resume' });
      queue.enqueue(ids[0]!, { priority: 'resume' });
      await eventually(async () => (await queue.countWaiting()) === 4);
      await queue.countWaiting(); // follows whatever was still on its way
      expect(await queue.longestWait()).toBeGreaterThanOrEqual(0);
      desk.openAll();
      await desk.until(() => desk.started.length === 5);
      expect(await queue.longestWait()).toBe(0);
      expect(desk.started).toEqual([first, ids[2], ids[3], ids[0], ids[1]]);
    });

    /** Of three on one slot, the first has given it to the second, and the third has none yet. */
    const oneWaits = async () => {
      const queue = await openQueue(1);
      const desk = new Desk(queue, { held: true });
      const [waiting, other, late] = [interactionId(), interactionId(), interactionId()];
      for (const id of [waiting, other, late]) queue.enqueue(id, { priority: 'new' });
      await desk.until(() => desk.started.length === 1);
      const slot = desk.slot(waiting);
      slot.release();
      await desk.until(() => desk.started.length === 2);
      return { desk, slot, waiting, other };
    };

    it('runs another one while one only waits', async () => {
      const { desk, waiting, other } = await oneWaits();
      desk.open(waiting); // it gives back no second slot
      await new Promise((resolve) => setImmediate(resolve));
      expect(desk.started).toEqual([waiting, other]);
      desk.openAll();
      await desk.until(() => desk.started.length === 3);
    });

    it('gives a slot back as soon as there is one, before anything new', async () => {
      const { desk, slot, waiting, other } = await oneWaits();
      const granted = new Promise<void>((resolve) => {
        expect(slot.reclaim(resolve)).toBe(false);
      });
      desk.open(other);
      await granted;
      expect(slot.reclaim(() => {})).toBe(true);
      expect(desk.started).toEqual([waiting, other]);
      desk.openAll();
      await desk.until(() => desk.started.length === 3);
    });

    it('counts whoever goes on without asking', async () => {
      const { desk, slot, waiting, other } = await oneWaits();
      slot.take();
      desk.open(other);
      await new Promise((resolve) => setImmediate(resolve));
      expect(desk.started).toEqual([waiting, other]);
      desk.openAll();
      await desk.until(() => desk.started.length === 3);
    });

    it('gives nothing more to what has returned', async () => {
      const { desk, slot, waiting, other } = await oneWaits();
      let granted = 0;
      expect(slot.reclaim(() => granted++)).toBe(false);
      desk.open(waiting);
      await new Promise((resolve) => setImmediate(resolve));
      slot.take();
      desk.open(other);
      await desk.until(() => desk.started.length === 3);
      expect(granted).toBe(0);
      desk.openAll();
    });

    it('stops when what runs has returned, and hands out nothing more', async () => {
      const queue = await openQueue(1);
      const desk = new Desk(queue, { held: true });
      const [running, waiting, late] = [interactionId(), interactionId(), interactionId()];
      queue.enqueue(running);
      queue.enqueue(waiting);
      await desk.until(() => desk.started.length === 1);
      let hasStopped = false;
      const stopped = queue.stop().then(() => (hasStopped = true));
      queue.enqueue(late);
      expect(queue.isImmediate).toBe(false);
      await new Promise((resolve) => setImmediate(resolve));
      expect(hasStopped).toBe(false);
      desk.openAll();
      await stopped;
      await new Promise((resolve) => setImmediate(resolve));
      expect(desk.started).toEqual([running]);
    });
  });
}

/** The handler of a queue: sees what is handed out, and may hold it until it is told to go on. */
export class Desk {
  readonly started: string[] = [];
  most = 0;
  private readonly running = new Map<string, Gate>();
  private readonly slots = new Map<string, RunSlot>();
  private onChange = (): void => {};

  constructor(
    queue: RunQueue,
    private readonly options = { held: false },
  ) {
    queue.start((id, slot) => this.run(id, slot));
  }

  slot(id: string): RunSlot {
    return this.slots.get(id)!;
  }

  open(id: string): void {
    this.running.get(id)?.open();
  }

  openAll(): void {
    this.options.held = false;
    for (const gate of this.running.values()) gate.open();
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => (this.onChange = resolve));
  }

  private async run(id: string, slot: RunSlot): Promise<void> {
    const gate = new Gate();
    this.slots.set(id, slot);
    if (this.running.has(id)) throw new Error(`${id} runs twice at once`);
    this.running.set(id, gate);
    this.started.push(id);
    this.most = Math.max(this.most, this.running.size);
    this.onChange();
    if (this.options.held) await gate.pass();
    this.running.delete(id);
  }
}
