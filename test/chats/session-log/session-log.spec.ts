import { jest } from '@jest/globals';
import fc from 'fast-check';
import type { OpenStore } from '../../e2e/stores.js';
import { GENERATED_LOG } from './generated-log.js';
import { SessionLogWorld, linesOf, withoutIds } from './session-log-world.js';
import { STORES } from '../../e2e/stores.js';
import { ALL, runs } from '../../support/thoroughness.js';

const KINDS = STORES.filter(({ name }) => ALL || name === 'files');

describe('A session log', () => {
  for (const kind of KINDS)
    (kind.fault ? describe.skip : describe)(`on ${kind.name}`, () => {
      const numRuns = runs(kind.name === 'files' ? 60 : 20);
      let opened: OpenStore;
      let world: SessionLogWorld;
      beforeAll(async () => {
        opened = await kind.open();
        world = new SessionLogWorld(opened.stores);
      });
      afterAll(() => opened.close());

      it('is the same after it was imported and exported, but for ids', async () => {
        const property = fc.asyncProperty(GENERATED_LOG, async (log) => {
          const first = await world.import(log);
          expect(first.report.problems).toEqual([]);
          const exported = await world.export(first.chat_id);
          expect(withoutIds(withoutMessages(exported))).toBe(withoutIds(log));
          const second = await world.import(exported);
          expect(withoutIds(await world.export(second.chat_id))).toBe(withoutIds(exported));
          expect(await world.findFaults(second.chat_id)).toEqual([]);
        });
        await fc.assert(property, { numRuns });
      });

      it('is imported as far as it goes, wherever it was cut', async () => {
        const property = fc.asyncProperty(GENERATED_LOG, fc.nat(), async (log, cut) => {
          const bytes = Buffer.from(log);
          const imported = await world.tryImport(bytes.subarray(0, cut % (bytes.length + 1)));
          if (imported) expect(await world.findFaults(imported.chat_id)).toEqual([]);
        });
        await fc.assert(property, { numRuns });
      });

      it('does no harm, whatever bytes are wrong with it', async () => {
        const damage = fc.tuple(fc.nat(), fc.nat(60), fc.uint8Array({ maxLength: 40 }));
        const damages = fc.array(damage, { minLength: 1, maxLength: 6 });
        const property = fc.asyncProperty(GENERATED_LOG, damages, async (log, all) => {
          let bytes = Buffer.from(log);
          for (const [place, length, instead] of all) {
            const at = place % (bytes.length + 1);
            bytes = Buffer.concat([bytes.subarray(0, at), instead, bytes.subarray(at + length)]);
          }
          const imported = await world.tryImport(bytes);
          if (imported) expect(await world.findFaults(imported.chat_id)).toEqual([]);
        });
        await fc.assert(property, { numRuns });
      });

      it('may lack lines, and have some twice', async () => {
        const choices = fc.array(fc.nat(), { minLength: 60, maxLength: 60 });
        const property = fc.asyncProperty(GENERATED_LOG, choices, async (log, chosen) => {
          const lines = log.split('\n').slice(0, -1);
          const mixed = lines.map((line, at) => {
            const choice = chosen[at % chosen.length]!;
            return choice % 5 === 0 ? lines[choice % lines.length] : line;
          });
          const imported = await world.tryImport(Buffer.from(mixed.join('\n')));
          if (imported) expect(await world.findFaults(imported.chat_id)).toEqual([]);
        });
        await fc.assert(property, { numRuns });
      });

      it('is read from the store no faster than it is taken', async () => {
        const { chat_id } = await world.import(longLog());
        const reads = jest.spyOn(opened.stores.records, 'readRecords');
        const lines = await world.open(chat_id);
        for (let n = 0; n < 3; n++) await lines.next();
        expect(reads).toHaveBeenCalledTimes(0);
        await lines.next();
        expect(reads).toHaveBeenCalledTimes(1);
        reads.mockRestore();
        await lines.return(undefined);
      });
    });
});

describe('A session log that comes from', () => {
  const kinds = KINDS.filter(({ fault }) => !fault);
  const opened: OpenStore[] = [];
  beforeAll(async () => {
    for (const kind of kinds) opened.push(await kind.open());
  });
  afterAll(() => Promise.all(opened.map((store) => store.close())));

  const pairs = kinds.flatMap((from, a) =>
    kinds.map((to, b) => [from.name, to.name, a, b] as const),
  );
  it.each(pairs)('%s is the same on %s', async (_from, _to, a, b) => {
    const [from, to] = [opened[a]!, opened[b]!].map(({ stores }) => new SessionLogWorld(stores));
    const theirs = await from!.export((await from!.import(longLog())).chat_id);
    const { chat_id, report } = await to!.import(theirs);
    expect(report.problems).toEqual([]);
    expect(withoutIds(await to!.export(chat_id))).toBe(withoutIds(theirs));
    expect(await to!.findFaults(chat_id)).toEqual([]);
  });
});

function longLog(): string {
  const isLong = (log: string): boolean =>
    linesOf(log).filter(({ type }) => type === 'interaction').length > 3;
  return fc.sample(GENERATED_LOG.filter(isLong), { numRuns: 1, seed: 7 })[0]!;
}

function withoutMessages(log: string): string {
  return log
    .split('\n')
    .filter((line) => !line.startsWith('{"type":"message"'))
    .join('\n');
}
