import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '../../src/config/load-config.js';
import { openSandbox } from '../../src/workspace/sandbox/open-sandbox.js';
import { SANDBOXES } from '../support/tools/sandboxes.js';

const run = promisify(execFile);
const { fault } = SANDBOXES.find(({ name }) => name === 'bubblewrap')!;
const SECRET = 'only the server reads this';

(fault ? describe.skip : describe)(`A command in the sandbox${fault ? `: ${fault}` : ''}`, () => {
  let base: string;
  beforeAll(async () => {
    // not in /tmp, which the sandbox hides as a whole
    base = await realpath(await mkdtemp(join(homedir(), '.parley-own-')));
    for (const folder of ['data', 'agents', 'work/one', 'conf'])
      await mkdir(join(base, folder), { recursive: true });
    for (const file of ['data/x', 'agents/x.md', 'conf/mcp.json', 'conf/rules.json', 'conf/other'])
      await writeFile(join(base, file), SECRET);
  });
  afterAll(() => rm(base, { recursive: true, force: true }));

  it('reads neither the data, nor the configuration, nor the code of the server', async () => {
    const at = (path: string) => join(base, path);
    const sandbox = await openSandbox(
      loadConfig({
        ...{ SANDBOX: 'bwrap', DATA_DIR: at('data'), AGENTS_DIR: at('agents') },
        ...{ WORKSPACE_DIR: at('work'), MCP_CONFIG: at('conf/mcp.json') },
        PERMISSIONS_FILE: at('conf/rules.json'),
      }),
    );
    const script = `grep -rl '${SECRET}' ${base}; ls -A ${process.cwd()}; true`;
    const command = await sandbox.confine(['bash', '-c', script], at('work/one'));
    const { stdout } = await run(command[0]!, command.slice(1));
    expect(stdout.trim().split('\n')).toEqual([at('conf/other')]);
  });
});
