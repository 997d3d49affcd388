import { eventually } from '../../../../test/support/eventually.js';
import type { Frame } from '../live-bus.js';
import { LocalLiveBus } from '../local/local-live-bus.js';
import { FrameSender } from './frame-sender.js';
import type { LiveScripts, PublishedFrames } from './live-scripts.js';
import { SealedFrames } from './sealed-frames.js';
import { Topics } from './topic-subscriptions.js';

const ID = 'int_1';

function frame(number: number, text: string): Frame {
  const delta = { type: 'TEXT_DELTA', block_id: 'a', offset: number - 1, delta: text } as const;
  return { epoch: 1, number, items: [{ kind: 'delta', agent_id: 'agent_root', delta }] };
}

/** A sender, and a Redis that refuses everything as long as it is told to. */
class World {
  isAway = false;
  /** Of what it was told before, it has nothing. */
  hasForgotten = false;
  readonly sent: PublishedFrames[] = [];
  readonly closed: string[] = [];
  readonly errors: string[] = [];
  private readonly local = new LocalLiveBus();
  readonly sender = new FrameSender({
    scripts: {
      publish: async (_: string, frames: PublishedFrames) => {
        this.sent.push(this.there(frames));
        return !this.hasForgotten;
      },
      close: async (key: string) => void this.closed.push(this.there(key)),
    } as unknown as LiveScripts,
    topics: new Topics('p:'),
    sealed: new SealedFrames(undefined),
    sender: 'me',
    isReady: () => true,
    snapshot: (id) => this.local.snapshot(id),
    onError: ({ message }) => void this.errors.push(message),
  });

  say(each: Frame): void {
    this.local.publish(ID, each);
    this.sender.add(ID, each);
  }

  frames(n: number): Frame[] {
    return (JSON.parse(this.sent[n]!.message) as { frames: Frame[] }).frames;
  }

  private there<T>(value: T): T {
    if (this.isAway) throw new Error('away');
    return value;
  }
}

describe(FrameSender.name, () => {
  it('sends what came in one tick at once', async () => {
    const world = new World();
    world.say(frame(1, 'x'));
    world.say(frame(2, 'y'));
    await world.sender.drained();
    expect(world.sent).toHaveLength(1);
    expect(world.sent[0]).toMatchObject({ epoch: 1, number: 2, channel: 'p:frames:int_1' });
    expect(world.frames(0)).toEqual([frame(1, 'x'), frame(2, 'y')]);
  });

  it('has sent what came while a batch was under way when it is drained, too', async () => {
    const world = new World();
    world.say(frame(1, 'x'));
    const first = world.sender.drained(); // it is on its way
    world.sender.close(ID, 1);
    await world.sender.drained();
    expect(world.closed).toEqual(['p:live:{int_1}']);
    await first;
  });

  it('has everybody read what is there when something got lost, be it the very first frame (I2)', async () => {
    const world = new World();
    world.isAway = true;
    world.say(frame(1, 'x'));
    await world.sender.drained();
    expect(world.errors).toEqual(['away']);
    world.isAway = false;
    await eventually(() => world.sent.length > 0);
    expect(world.sent[0]).toMatchObject({ number: 1 });
    expect(world.sent[0]!.changes).toMatchObject([
      ['clear'],
      ['grow', 'a', 0, 1, 'x', expect.any(String)],
    ]);
    const [gap] = world.frames(0);
    expect(gap!.items).toEqual([]);
    expect(gap!.number).toBeGreaterThan(0); // who has heard nothing can't take it for the first frame
    expect(gap!.number).toBeLessThan(1); // who has heard that one needs to read nothing
    world.say(frame(2, 'y'));
    await world.sender.drained();
    expect(world.frames(1)).toEqual([frame(2, 'y')]);
  });

  it('sends all that is open when Redis has forgotten what came before', async () => {
    const world = new World();
    world.say(frame(1, 'x'));
    await world.sender.drained();
    world.hasForgotten = true;
    world.say(frame(2, 'y'));
    await eventually(() => world.sent.length === 3);
    world.hasForgotten = false;
    expect(world.sent[2]!.changes).toMatchObject([
      ['clear'],
      ['grow', 'a', 0, 2, 'xy', expect.any(String)],
    ]);
    world.say(frame(3, 'z'));
    await world.sender.drained();
    expect(world.frames(3)).toEqual([frame(3, 'z')]);
  });

  it('closes what ended while Redis was away once it is back', async () => {
    const world = new World();
    world.isAway = true;
    world.say(frame(1, 'x'));
    world.sender.close(ID, 1);
    await world.sender.drained();
    world.isAway = false;
    await eventually(() => world.closed.length > 0);
    expect(world.closed).toEqual(['p:live:{int_1}']);
    expect(world.sent).toEqual([]);
  });
});
