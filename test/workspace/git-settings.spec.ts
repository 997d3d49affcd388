import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pickCommandEnvironment } from '../../src/config/derived.js';

const hasGit = spawnSync('git', ['--version']).status === 0;

/** Its configuration is in the workspace, which is the home folder of its commands. */
(hasGit ? describe : describe.skip)('Git in a workspace', () => {
  let home: string;
  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), 'parley-git-')));
    await writeFile(at('evil.sh'), `#!/bin/sh\ntouch ${at('ran')}\n`, { mode: 0o755 });
  });
  afterEach(() => rm(home, { recursive: true }));

  const at = (path: string): string => join(home, path);
  const git = (...words: string[]): string => {
    const env = { ...pickCommandEnvironment({ PATH: process.env['PATH'] ?? '' }), HOME: home };
    return execFileSync('git', words, { cwd: home, env, stdio: 'pipe' }).toString();
  };
  const setUp = (): void => {
    git('init', '-q', '.');
    git('-c', 'user.name=a', '-c', 'user.email=a@localhost', 'commit', '-qm', 'x', '--allow-empty');
  };

  it.each([
    ['a file system monitor', `[core]\nfsmonitor = ./evil.sh`, ['status']],
    ['a diff program', `[diff]\nexternal = ./evil.sh`, ['diff']],
    ['an alias', `[alias]\nst = !./evil.sh`, ['log']],
  ])('runs no program of a .gitconfig there: %s', async (_, config, command) => {
    setUp();
    await writeFile(at('file'), 'a');
    git('add', 'file');
    await writeFile(at('file'), 'b');
    await writeFile(at('.gitconfig'), config);
    git(...command);
    expect(existsSync(at('ran'))).toBe(false);
  });

  it('takes no folder without .git for a repository', () => {
    execFileSync('git', ['init', '-q', '--bare', at('bare')]);
    expect(() => git('-C', 'bare', 'log')).toThrow(/safe.bareRepository/);
  });

  it('works as ever', () => {
    setUp();
    expect(git('log', '--oneline')).toContain('x');
    git('config', 'user.name', 'b');
    expect(git('config', 'user.name')).toBe('b\n');
  });
});
