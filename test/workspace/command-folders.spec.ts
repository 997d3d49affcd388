import { existsSync } from 'node:fs';
import { mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load-config.js';
import { CommandRunner } from '../../src/workspace/command-runner.js';
import { NoSandbox } from '../../src/workspace/sandbox/open-sandbox.js';

/** Files by which programs are told to run others, or to talk to others. */
const CONFIGURATIONS = ['.npmrc', '.curlrc', '.manpath', '.lesskey', '.jq', '.profile', '.bashrc'];

describe('The home folder of commands', () => {
  let workspace: string;
  let runner: CommandRunner;

  beforeEach(async () => {
    workspace = await realpath(await mkdtemp(join(tmpdir(), 'parley-home-')));
    runner = new CommandRunner(new NoSandbox(), loadConfig({ PATH: process.env['PATH'] }));
  });
  afterEach(async () => {
    await runner.onModuleDestroy();
    await rm(workspace, { recursive: true });
  });

  const run = async (script: string): Promise<string> => {
    let output = '';
    await runner.run(['bash', '--norc', '--noprofile', '-c', script], {
      cwd: workspace,
      signal: new AbortController().signal,
      onOutput: (chunk) => void (output += chunk.toString()),
      beforeStart: () => Promise.resolve(),
    });
    return output.trim();
  };

  it('is not the workspace, is empty and is not writable', async () => {
    for (const name of CONFIGURATIONS) await writeFile(join(workspace, name), 'echo pwned');
    const home = await run('echo ~');
    expect(home).not.toContain(workspace);
    expect(await readdir(home)).toEqual([]);
    expect((await stat(home)).mode & 0o222).toBe(0);
    expect(await run(`ls -A ~; cat ~/.npmrc 2>/dev/null; bash -lc 'echo done'`)).toBe('done');
  });

  it('is another one after a command has written there', async () => {
    const home = await run('chmod u+w ~; echo pwned > ~/.npmrc; echo ~');
    expect(await run('echo ~; ls -A ~')).not.toBe(home);
    expect(existsSync(home)).toBe(false);
    expect(await run('ls -A ~')).toBe('');
  });

  it('has room for caches beside it', async () => {
    expect(
      await run('mkdir -p "$npm_config_cache" && echo x > "$XDG_CACHE_HOME/x" && echo ok'),
    ).toBe('ok');
  });

  it('is removed with the server', async () => {
    const home = await run('echo ~');
    await runner.onModuleDestroy();
    expect(existsSync(home)).toBe(false);
  });
});
