import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refuseGitLinks } from '../../src/tools/bash/git-links.js';

describe('A command that reaches .git over a link', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'parley-git-links-')));
    const at = (path: string) => join(folder, path);
    for (const path of ['.git/hooks', 'src/deep', 'out/src/deep', 'plain'])
      await mkdir(at(path), { recursive: true });
    for (const path of ['.git/config', 'e.sh', 'a.cfg', 'src/a.cfg']) await writeFile(at(path), '');
    await symlink('.git', at('g'));
    await symlink('.git/config', at('f'));
    await symlink('.git/hooks/post-merge', at('dangling'));
    await symlink('../.git/config', at('out/a.cfg'));
    await symlink('../../.git', at('src/deep/link'));
    await symlink(at('.git/config'), at('out/src/deep/absolute'));
    await symlink('src', at('s'));
    await symlink('loop', at('loop'));
    await symlink('many/many/many/many', at('many'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    'cp e.sh g/hooks/post-checkout',
    'cp e.sh ./g//hooks/../hooks/post-checkout',
    'cp e.sh s/deep/link/hooks/post-checkout',
    'cp e.sh nothing/../g/hooks/post-checkout',
    'cp a.cfg f',
    'cp e.sh dangling',
    'cp a.cfg out',
    'cp src/*.cfg out',
    'cp -t out a.cfg',
    'cp --target-directory=g/hooks e.sh',
    'cp -tg/hooks e.sh',
    'cp -r src out',
    'cp -a src/. out/src',
    'cp -r src copy && cp e.sh copy/deep/link/hooks/post-checkout',
    'mv src copy; cp e.sh copy/deep/link/hooks/post-checkout',
    'ln -s src copy; cp e.sh copy/deep/link/hooks/post-checkout',
    'cd plain; cp ../e.sh ../g/hooks/post-checkout',
    'cd src/deep && cp ../../e.sh link/hooks/post-checkout',
    'cd g/hooks',
    'timeout 5 cp e.sh g/hooks/post-checkout',
    `bash -c 'cd src; cp a.cfg deep/link/config'`,
    'touch g/hooks/post-checkout',
    'git clone https://example.com/x g/hooks',
  ])('is refused: %s', async (command) => {
    await expect(refuseGitLinks(command, folder)).rejects.toThrow(
      /is refused: it is a link to \.git/,
    );
  });

  it.each([
    'cp e.sh .git/hooks/post-checkout', // rules can see that
    'cp e.sh plain',
    'cp -r plain copy',
    'cp -r src copy',
    'mv src copy',
    'cp e.sh loop/x many/x',
    'git status && ls -la',
    'cp "$HOME" g/hooks', // no rule for commands allows what is not plain
  ])('is not: %s', async (command) => {
    await expect(refuseGitLinks(command, folder)).resolves.toBeUndefined();
  });
});
