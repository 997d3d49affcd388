import { Breather } from './breather.js';

describe(Breather.name, () => {
  it('lets others have their turn when the work has taken long', async () => {
    const breather = new Breather();
    let hadTurn = false;
    setImmediate(() => (hadTurn = true));
    for (const end = performance.now() + 20; performance.now() < end;);
    await breather.breathe();
    expect(hadTurn).toBe(true);
  });
});
