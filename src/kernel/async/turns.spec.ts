import { inTurn, ownTurn } from './turns.js';

/** Holds the event loop for longer than a turn is meant to last. */
function hold(): void {
  const until = performance.now() + 11;
  while (performance.now() < until);
}

describe(inTurn, () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('begins work at once while the turn of the event loop is short', () => {
    const began: number[] = [];
    for (const number of [1, 2, 3]) inTurn('ann', () => began.push(number));
    expect(began).toEqual([1, 2, 3]);
  });

  it('lets the event loop turn between pieces that take long together, in their order', async () => {
    await turn(); // another turn than that of the last test
    const seen: string[] = [];
    const work = (name: string) => () => {
      seen.push(name);
      void Promise.resolve().then(hold); // what a request does after its first promise
    };
    inTurn('ann', work('a'));
    await Promise.resolve();
    for (const name of ['b', 'c', 'd']) inTurn('ann', work(name));
    expect(seen).toEqual(['a']);
    for (let at = 0; at < 4; at++) {
      await turn();
      seen.push('turn');
    }
    expect(seen.join(' ')).toMatch(/^a (?:turn )?b (?:turn )?turn c turn d/);
  });

  it('lets the event loop turn between all that waited for the same promise', async () => {
    const seen: string[] = [];
    const shared = turn();
    const pieces = ['a', 'b', 'c'].map(async (name) => {
      await shared;
      await ownTurn('ann');
      seen.push(name);
    });
    await shared;
    for (let at = 0; at < 4; at++) {
      await turn();
      seen.push('turn');
    }
    await Promise.all(pieces);
    expect(seen.join(' ')).toMatch(/^(?:turn )?a turn b turn c/);
  });

  it('gives each owner a piece in turn, and requests theirs before long work', async () => {
    await turn();
    const seen: string[] = [];
    inTurn('ann', hold);
    const pieces = ['a1', 'a2', 'a3', 'b1'].map(async (name) => {
      await ownTurn(name.startsWith('a') ? 'ann' : 'ben');
      seen.push(name);
    });
    for (const name of ['A1', 'A2', 'A3', 'B1'])
      inTurn(name.startsWith('A') ? 'ann' : 'ben', () => seen.push(name));
    await Promise.all(pieces);
    expect(seen.join(' ')).toBe('A1 a1 B1 b1 A2 a2 A3 a3');
  });
});
