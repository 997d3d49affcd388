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
    for (const number of [1, 2, 3]) inTurn(() => began.push(number));
    expect(began).toEqual([1, 2, 3]);
  });

  it('lets the event loop turn between pieces that take long together, in their order', async () => {
    await turn(); // another turn than that of the last test
    const seen: string[] = [];
    const work = (name: string) => () => {
      seen.push(name);
      void Promise.resolve().then(hold); // what a request does after its first promise
    };
    inTurn(work('a'));
    await Promise.resolve();
    for (const name of ['b', 'c', 'd']) inTurn(work(name));
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
      await ownTurn();
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
});
