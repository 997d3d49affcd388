import { Gate } from '../../../test/support/gate.js';
import { MovableClock } from '../../../test/support/movable-clock.js';
import { Periodic } from './periodic.js';

const EVERY_MS = 600_000; // no round by itself during a test

describe('Periodic', () => {
  let clock: MovableClock;
  let rounds: number;
  let run: () => Promise<void> | void;
  let periodic: Periodic;

  beforeEach(() => {
    clock = new MovableClock();
    rounds = 0;
    run = () => {};
    periodic = new Periodic(clock, {
      ...{ name: 'Test', every_ms: EVERY_MS },
      run: () => {
        rounds++;
        return run();
      },
    });
    periodic.start();
  });

  afterEach(() => periodic.stop());

  it('runs once in each interval', async () => {
    clock.pass(EVERY_MS / 2);
    expect(rounds).toBe(0);
    clock.pass(EVERY_MS / 2);
    expect(rounds).toBe(1);
    await periodic.runNow();
    clock.pass(EVERY_MS);
    expect(rounds).toBe(2);
  });

  it('does not begin a round while one runs', async () => {
    const gate = new Gate();
    run = async () => gate.pass();
    const first = periodic.runNow();
    clock.pass(EVERY_MS);
    const second = periodic.runNow();
    expect(rounds).toBe(1);
    gate.open();
    await Promise.all([first, second]);
    await periodic.runNow();
    expect(rounds).toBe(2);
  });

  it('goes on after a round that failed, at once or later', async () => {
    run = () => {
      throw new Error('at once');
    };
    await periodic.runNow();
    run = () => Promise.reject(new Error('later'));
    await periodic.runNow();
    clock.pass(EVERY_MS);
    expect(rounds).toBe(3);
  });

  it('is over once it is stopped, with the round that ran', async () => {
    const gate = new Gate();
    let isOver = false;
    run = async () => {
      await gate.pass();
      isOver = true;
    };
    clock.pass(EVERY_MS);
    const stopped = periodic.stop();
    gate.open();
    await stopped;
    expect(isOver).toBe(true);
    clock.pass(10 * EVERY_MS);
    expect(rounds).toBe(1);
  });
});
