import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refuseGitLinks } from '../../src/tools/bash/git-links.js';

describe('A command that could reach .git over a link', () => {
  let base: string;
  let used = 0;
  beforeAll(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'parley-git-links-')));
  });
  afterAll(() => rm(base, { recursive: true }));

  /** A workspace with these links: `name -> target`. */
  const make = async (...links: string[]) => {
    const folder = join(base, `${used++}`);
    for (const path of ['.git/hooks', 'src/deep', 'out', 'sub'])
      await mkdir(join(folder, path), { recursive: true });
    for (const path of ['.git/config', 'e.sh', 'src/a.cfg'])
      await writeFile(join(folder, path), '');
    for (const link of links) {
      const [name, target] = link.split(' -> ');
      await symlink(target!, join(folder, name!));
    }
    return folder;
  };
  const run = (folder: string, command: string) =>
    refuseGitLinks(command, folder, new AbortController().signal);
  const LINKS = [
    'g -> .git',
    'f -> .git/config',
    'dangling -> .git/hooks/post-merge',
    'src/deep/link -> ../../.git',
    's -> src',
  ];

  it.each([
    'cp e.sh g/hooks/post-checkout',
    'cp e.sh ./g//hooks/../hooks/post-checkout',
    'cp e.sh s/deep/link/hooks/post-checkout',
    'cp e.sh nothing/../g/hooks/post-checkout',
    'cp src/a.cfg f',
    'cp e.sh dangling',
    'cp -vtg/hooks e.sh',
    'cp --target-directory=g/hooks e.sh',
    'cd g/hooks',
    'timeout 5 touch g/hooks/post-checkout',
    `bash -c 'chmod +x s/deep/link/hooks/post-checkout'`,
    'rm g/hooks/pre-commit',
  ])('is refused if a word leads there: %s', async (command) => {
    const folder = await make(...LINKS);
    await expect(run(folder, command)).rejects.toThrow(/is refused: it leads over a link to \.git/);
  });

  it.each([
    ['cp e.sh hoo* -v', 'hook -> .git/hooks'],
    ['cd su*; cp ../e.sh l/post-checkout', 'sub/l -> ../.git/hooks'],
    ['cp -r src copy; cp e.sh copy/deep/l/hooks/post-checkout', 'src/deep/l -> ../../.git'],
    ['ln -s ../z/hooks sub/q; cp e.sh sub/q/post-checkout', 'z -> .git'],
    ['mv sub/h h; cp e.sh h/post-checkout', 'sub/h -> .git/hooks'],
    ['cp -rT src out', 'out/a.cfg -> ../.git/config'],
    ['cp --parents src/deep/e.sh out', 'out/src -> ../.git'],
    ['cp src/a.cfg out --sparse always', 'out/a.cfg -> ../.git/config'],
    [`find src -exec cp e.sh out ';'`, 'out/e.sh -> ../.git/hooks/post-merge'],
    ['cp e.sh l/x', 'l -> /proc/self/cwd/z'],
    ['git clone https://example.com/x y', 'z -> .git/hooks'],
    ['cp e.sh src', 'over -> chain', 'chain -> sub/../.git'],
  ])('is refused if it copies while there is one: %s', async (command, ...links) => {
    const folder = await make(...links);
    await expect(run(folder, command)).rejects.toThrow(
      /is refused: it (?:is|leads over) a link to \.git/,
    );
    await rm(join(folder, links.at(-1)!.split(' -> ')[0]!));
    if (links.length === 1) await expect(run(folder, command)).resolves.toBeUndefined();
  });

  it('is refused over /proc, which is another for each process', async () => {
    const folder = await make();
    await expect(run(folder, 'cp e.sh /proc/self/cwd/z')).rejects.toThrow(/leads over a link/);
    await expect(run(folder, 'cat /proc/cpuinfo')).resolves.toBeUndefined();
  });

  it('is refused over a link to the folder that the file .git of a worktree names', async () => {
    const folder = join(base, 'worktree');
    const store = join(base, 'store', 'worktrees', 'w');
    for (const path of [folder, store, join(base, 'store', 'hooks')])
      await mkdir(path, { recursive: true });
    await writeFile(join(folder, '.git'), `gitdir: ${store}\n`);
    await writeFile(join(store, 'commondir'), '../..\n');
    await symlink('../store/hooks', join(folder, 'g'));
    await expect(run(folder, 'cp e.sh g/post-checkout')).rejects.toThrow(/is refused/);
  });

  it.each([
    'cp e.sh .git/hooks/post-checkout', // rules can see that
    'cp -r src copy && cp e.sh copy/deep/e.sh',
    'git status && ls -la s',
    'cp "$HOME" s', // no rule for commands allows what is not plain
  ])('is not refused where no link leads there: %s', async (command) => {
    const folder = await make('s -> src', 'deep -> src/deep', 'away -> /nowhere');
    await expect(run(folder, command)).resolves.toBeUndefined();
  });

  it('may remove the link', async () => {
    await expect(run(await make(...LINKS), 'rm g f')).resolves.toBeUndefined();
  });

  it('ends at loops of links and at endless paths, and with its signal', async () => {
    const names = Array(2_000).fill('l').join('/');
    const folder = await make(`l -> ${names}`, 'm -> m');
    await expect(run(folder, `ls l m ${'l '.repeat(50)}`)).resolves.toBeUndefined();
    await expect(run(folder, `ls ${'a/'.repeat(2_000)}`)).resolves.toBeUndefined();
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(refuseGitLinks('ls a', folder, signal)).rejects.toThrow('stopped');
  });
});
