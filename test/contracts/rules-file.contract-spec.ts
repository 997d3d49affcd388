import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RulesFile } from '../../src/permissions/file/rules-file.js';
import { ruleUsesContract } from './rule-uses.contract.js';

describe(RulesFile.name, () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-rules-file-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function open(max_uses: number | null) {
    const path = join(folder, 'permissions.json');
    const matcher = { type: 'tool', pattern: 'x' };
    const rule = { scope: 'global', decision: 'allow', matcher, max_uses };
    await writeFile(path, `// Ours.\n${JSON.stringify([rule], null, 2)}\n`);
    let file = await RulesFile.open(path);
    const { id } = file.rules[0]!;
    return {
      countUse: (useKey: string) => file.countUse(id, useKey),
      async usesFor(useKey?: string) {
        const [found] = file.rulesFor(useKey);
        expect(found).toMatchObject({ id, max_uses });
        expect(found).not.toHaveProperty('used_by');
        return found!.uses;
      },
      async reopen() {
        expect(await readFile(path, 'utf8')).toMatch(/^\/\/ Ours/);
        file = await RulesFile.open(path);
      },
    };
  }

  ruleUsesContract(open);
});
