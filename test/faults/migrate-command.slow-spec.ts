import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtServer } from '../support/server/built-server.js';

const run = promisify(execFile);

describe('npm run migrate', () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'parley-migrate-'))));
  afterAll(() => rm(folder, { recursive: true }));

  async function migrate(...args: string[]): Promise<{ code: number; said: string }> {
    const env = { PATH: process.env['PATH'], DATA_DIR: join(folder, 'data') };
    const program = await builtServer('dist/src/migrate.js');
    return run(process.execPath, [program, ...args], { env }).then(
      ({ stdout }) => ({ code: 0, said: stdout }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, said: stderr }),
    );
  }

  it.each(['--help', '--dry-run', 'postgres://localhost/x'])(
    'changes nothing when it is asked %s, which it does not know',
    async (word) => {
      const { code, said } = await migrate(word);
      expect([code, said]).toEqual([64, expect.stringContaining('npm run migrate')]);
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it('makes a database, and has nothing to do then', async () => {
    expect(await migrate()).toMatchObject({ code: 0, said: expect.stringContaining('new') });
    expect(await migrate()).toMatchObject({ code: 0, said: expect.stringContaining('up to date') });
  });
});
