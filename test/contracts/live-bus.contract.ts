import type { Delta, RecordBody } from '../../src/protocol/events.js';
import type {
  ChatHint,
  Frame,
  FrameItem,
  LiveBus,
  Snapshot,
} from '../../src/event-log/live/live-bus.js';
import { OpenBlocks } from '../../src/event-log/live/open-blocks.js';
import { eventually } from '../support/eventually.js';
import { interactionId, newRecord } from './interaction-store/fixtures.js';

export interface OpenedBus {
  /** Where runs publish, and where readers listen: two processes, or the same one. */
  readonly publisher: LiveBus;
  readonly subscriber: LiveBus;
  close(): Promise<void>;
}

/**
 * What every `LiveBus` must do when nothing goes wrong; what may go wrong is repaired by followers.
 * Guards I2 (a snapshot is what its frames said) and I6 (a run that was lost isn't heard).
 */
export function liveBusContract(name: string, open: () => Promise<OpenedBus>): void {
  describe(`${name} as a LiveBus`, () => {
    let opened: OpenedBus;
    beforeAll(async () => void (opened = await open()));
    afterAll(() => opened.close());

    describeFrames(() => opened);
    describeSnapshots(() => opened);
    describeWakes(() => opened);
    describeHints(() => opened);
  });
}

function describeFrames(bus: () => OpenedBus): void {
  it('brings every frame to every listener of its interaction, in order', async () => {
    const [id, other] = [interactionId(), interactionId()];
    const heard = [await listen(bus(), id), await listen(bus(), id)];
    const foreign = await listen(bus(), other);
    const frames = [1, 2, 3].map((number) => newFrame(1, number, [delta('a', number - 1, 'x')]));
    for (const frame of frames) bus().publisher.publish(id, frame);
    await eventually(() => heard.every(({ frames }) => frames.length === 3));
    for (const { frames: received } of heard) expect(received).toEqual(frames);
    expect(foreign.frames).toEqual([]);
  });

  it('tells nothing to a listener that has left', async () => {
    const id = interactionId();
    const [left, stayed] = [await listen(bus(), id), await listen(bus(), id)];
    left.leave();
    left.leave();
    bus().publisher.publish(id, newFrame(1, 1, [delta('a', 0, 'x')]));
    await eventually(() => stayed.frames.length === 1);
    expect(left.frames).toEqual([]);
  });

  it('lets listeners come and leave while a frame is brought', async () => {
    const id = interactionId();
    const late: Frame[] = [];
    const left = bus()
      .subscriber.frames(id)
      .subscribe(() => {
        left.unsubscribe();
        bus()
          .subscriber.frames(id)
          .subscribe((frame) => late.push(frame));
      });
    const stayed = await listen(bus(), id);
    for (const number of [1, 2])
      bus().publisher.publish(id, newFrame(1, number, [delta('a', number - 1, 'x')]));
    await eventually(() => stayed.frames.length === 2 && late.some((frame) => frame.number === 2));
  });

  it('keeps quiet about a run that was lost, once a newer one has spoken (I6)', async () => {
    const id = interactionId();
    const listener = await listen(bus(), id);
    const { publisher } = bus();
    publisher.publish(id, newFrame(1, 1, [delta('1b0', 0, 'old')]));
    publisher.publish(id, newFrame(2, 1, [delta('2b0', 0, 'new')]));
    publisher.publish(id, newFrame(1, 2, [delta('1b0', 3, 'zombie')]));
    publisher.publish(id, newFrame(2, 2, [delta('2b0', 3, '!')]));
    await eventually(() => listener.frames.length === 3);
    expect(listener.frames.map(({ epoch, number }) => [epoch, number])).toEqual([
      [1, 1],
      [2, 1],
      [2, 2],
    ]);
    expect(await snapshotOf(bus(), id)).toMatchObject({ epoch: 2, number: 2 });
  });
}

function describeSnapshots(bus: () => OpenedBus): void {
  it('has no snapshot of what was never published', async () => {
    const id = interactionId();
    expect(await snapshotOf(bus(), id)).toBeUndefined();
    (await listen(bus(), id)).leave();
    expect(await snapshotOf(bus(), id)).toBeUndefined();
  });

  it('has a snapshot that is the fold of all frames, whether somebody listens or not', async () => {
    const id = interactionId();
    const blocks = new OpenBlocks();
    for (const [index, items] of STORY.entries()) {
      bus().publisher.publish(id, newFrame(1, index + 1, items(id)));
      for (const item of items(id)) blocks.apply(item);
      await eventually(async () => (await snapshotOf(bus(), id))?.number === index + 1);
      const seq = [0, 0, 0, 2, 3][index];
      const expected = { epoch: 1, number: index + 1, seq, blocks: blocks.list() };
      expect(await snapshotOf(bus(), id)).toEqual(expected);
    }
  });

  it('hands out a snapshot that what follows doesn’t change', async () => {
    const id = interactionId();
    bus().publisher.publish(id, newFrame(1, 1, [delta('a', 0, 'he')]));
    await eventually(async () => (await snapshotOf(bus(), id))?.number === 1);
    const snapshot = await snapshotOf(bus(), id);
    bus().publisher.publish(id, newFrame(1, 2, [delta('a', 2, 'y')]));
    await eventually(async () => (await snapshotOf(bus(), id))?.number === 2);
    expect(snapshot?.blocks[0]?.text).toBe('he');
  });

  it('forgets the blocks of a run that another one has followed', async () => {
    const id = interactionId();
    bus().publisher.publish(id, newFrame(1, 5, [delta('1b0', 0, 'old')]));
    bus().publisher.publish(id, newFrame(2, 1, [delta('2b0', 0, 'new')]));
    await eventually(async () => (await snapshotOf(bus(), id))?.epoch === 2);
    const blocks = (await snapshotOf(bus(), id))?.blocks;
    expect(blocks?.map(({ text }) => text)).toEqual(['new']);
  });

  it('forgets the open blocks of a run that is over', async () => {
    const id = interactionId();
    const listener = await listen(bus(), id);
    bus().publisher.publish(id, newFrame(1, 1, [delta('a', 0, 'x')]));
    await eventually(() => listener.frames.length === 1);
    bus().publisher.close(id, 1);
    await eventually(async () => !(await snapshotOf(bus(), id))?.blocks.length);
  });

  it('lets a run that was lost close nothing of the one that followed (I6)', async () => {
    const id = interactionId();
    const { publisher } = bus();
    publisher.publish(id, newFrame(2, 1, [delta('2b0', 0, 'new')]));
    publisher.close(id, 1);
    publisher.publish(id, newFrame(2, 2, [delta('2b0', 3, '!')]));
    await eventually(async () => (await snapshotOf(bus(), id))?.number === 2);
    expect((await snapshotOf(bus(), id))?.blocks[0]?.text).toBe('new!');
  });

  it('forgets a run whose lease the store has lost, and hears the next one with its epoch', async () => {
    const id = interactionId();
    const { publisher } = bus();
    publisher.publish(id, newFrame(2, 7, [delta('2b0', 0, 'lost')]));
    await eventually(async () => (await snapshotOf(bus(), id))?.number === 7);
    publisher.begin(id, 3); // the usual case
    publisher.publish(id, newFrame(2, 8, []));
    await eventually(async () => (await snapshotOf(bus(), id))?.number === 8);
    expect((await snapshotOf(bus(), id))?.blocks.map(({ text }) => text)).toEqual(['lost']);
    publisher.begin(id, 2);
    publisher.publish(id, newFrame(2, 1, [delta('2b0', 0, 'new')]));
    await eventually(async () => (await snapshotOf(bus(), id))?.number === 1);
    expect((await snapshotOf(bus(), id))?.blocks.map(({ text }) => text)).toEqual(['new']);
    publisher.begin(id, 1);
    publisher.publish(id, newFrame(1, 1, []));
    await eventually(async () => (await snapshotOf(bus(), id))?.epoch === 1);
  });

  it('knows that a first run has published nothing but record 1', async () => {
    const id = interactionId();
    const { publisher } = bus();
    expect(await publisher.snapshot(id)).toBeUndefined();
    publisher.open(id, 1);
    expect(await publisher.snapshot(id)).toEqual({ epoch: 1, number: 0, seq: 1, blocks: [] });
    const listener = await listen(bus(), id);
    publisher.publish(id, newFrame(1, 1, [delta('1b0', 0, 'new')]));
    await eventually(() => listener.frames.length === 1);
    expect(await publisher.snapshot(id)).toMatchObject({ number: 1, blocks: [{ text: 'new' }] });
    listener.leave();
    publisher.close(id, 1);
    await eventually(async () => (await publisher.snapshot(id)) === undefined);
  });

  it('keeps nothing of runs that are over and read by nobody', async () => {
    const ids = Array.from({ length: 100 }, () => interactionId());
    for (const id of ids) {
      const listeners = [await listen(bus(), id), await listen(bus(), id)];
      bus().publisher.publish(id, newFrame(1, 1, [delta('a', 0, 'x')]));
      await eventually(() => listeners.every(({ frames }) => frames.length === 1));
      listeners[0]?.leave();
      bus().publisher.close(id, 1);
      listeners[1]?.leave();
    }
    await eventually(async () => {
      const snapshots = await Promise.all(ids.map((id) => snapshotOf(bus(), id)));
      return snapshots.every((snapshot) => snapshot === undefined);
    });
  });
}

function describeWakes(bus: () => OpenedBus): void {
  it('wakes whoever runs an interaction, on any process, until they stop listening', async () => {
    const id = interactionId();
    const woken: string[] = [];
    const late: string[] = [];
    const stop = bus().publisher.onWake((each) => woken.push(each));
    bus().subscriber.wake(id);
    await eventually(() => woken.includes(id));
    stop();
    const stopLate = bus().publisher.onWake((each) => late.push(each));
    bus().subscriber.wake(id);
    await eventually(() => late.includes(id));
    expect(woken).toEqual([id]);
    stopLate();
  });
}

function describeHints(bus: () => OpenedBus): void {
  it('tells all processes, also the own one, that a chat has changed', async () => {
    const [heard, own, late] = [[], [], []] as (ChatHint | undefined)[][];
    const stops = [
      bus().subscriber.onChange((hint) => heard!.push(hint)),
      bus().publisher.onChange((hint) => own!.push(hint)),
    ];
    const was = { id: 'chat_1', owner: 'ann', visibility: 'private' } as const;
    const hints: ChatHint[] = [
      { chat_uid: 'uid_1', tenant_id: 'acme' },
      { chat_uid: 'uid_2', tenant_id: 'acme', was },
      { chat_uid: 'uid_1' },
    ];
    for (const hint of hints) bus().publisher.noteChange(hint);
    const told = (list: unknown) => JSON.stringify(list) === JSON.stringify(hints);
    await eventually(() => told(heard) && told(own));
    for (const stop of stops) stop();
    const stopLate = bus().subscriber.onChange((hint) => late!.push(hint));
    bus().publisher.noteChange(hints[0]!);
    await eventually(() => late!.length === 1);
    expect([heard!.length, own!.length]).toEqual([3, 3]);
    stopLate();
  });
}

/** The frames of a run, one per step. */
const STORY: ((id: string) => FrameItem[])[] = [
  () => [delta('a', 0, 'he'), delta('b', 0, 'x', { type: 'TOOL_INPUT_DELTA', tool_call_id: 'c1' })],
  () => [delta('a', 2, 'llo 🦜')],
  () => [{ kind: 'trace', agent_id: 'root', trace: { type: 'TRACE', name: 'ping', detail: 1 } }],
  (id) => [recordItem(id, 2, { type: 'MESSAGE', block_id: 'a', content: 'hello 🦜' })],
  (id) => [
    delta('c', 0, 'y'),
    recordItem(id, 3, { type: 'NOTICE', code: 'retry', message: 'Again.', void: ['b'] }),
  ],
];

function delta(
  block_id: string,
  offset: number,
  text: string,
  more: Partial<Delta> = {},
): FrameItem {
  const delta: Delta = { type: 'TEXT_DELTA', block_id, offset, delta: text, ...more };
  return { kind: 'delta', agent_id: 'agent_root', delta };
}

function recordItem(id: string, seq: number, body: RecordBody): FrameItem {
  return { kind: 'record', record: newRecord(id, seq, { body }) };
}

function newFrame(epoch: number, number: number, items: readonly FrameItem[]): Frame {
  return { epoch, number, items };
}

/** Resolves when it hears what is published from now on. */
async function listen(
  { subscriber }: OpenedBus,
  id: string,
): Promise<{ frames: Frame[]; leave: () => void }> {
  const frames: Frame[] = [];
  const subscription = subscriber.frames(id).subscribe((frame) => frames.push(frame));
  await subscriber.snapshot(id);
  return { frames, leave: () => subscription.unsubscribe() };
}

function snapshotOf({ subscriber }: OpenedBus, id: string): Promise<Snapshot | undefined> {
  return subscriber.snapshot(id);
}
