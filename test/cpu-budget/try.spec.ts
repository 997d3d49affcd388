import { CpuWorld } from './cpu-world.js';
import { fieldCases, parameterCases } from './request-cases.js';
it('works', async () => {
  const world = await CpuWorld.start();
  try {
    for (const cases of [fieldCases(), parameterCases()]) {
      const t = Date.now();
      const part = cases.filter((_, n) => n % Number(process.env.EACH ?? 1) === 0);
      const slow = await world.tooSlow(part, { hold: 60, total: 200 });
      process.stderr.write(`${part.length} cases, ${Date.now() - t} ms\n${slow.join('\n')}\n`);
    }
  } finally { await world.stop(); }
}, 600000);
