import { constants } from 'node:fs';
import { mkdir, readFile, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFile as readWhole } from '../../src/workspace/read-file.js';
import { replaceFile } from '../../src/workspace/replace-file.js';
import { AttackedWorkspace, SECRET } from './attacked-workspace.js';

describe.each([
  ['by descriptors', true],
  ['by paths', false],
])(`${replaceFile.name}, walked %s`, (_, byDescriptor) => {
  let under: AttackedWorkspace;
  beforeEach(async () => {
    under = await AttackedWorkspace.make(byDescriptor);
  });
  afterEach(() => under.close());

  const bytes = Buffer.from('written');
  const replace = async (path: string) => {
    const before = (await readWhole(under.workspace, path).catch(() => undefined))?.stats;
    return replaceFile(under.workspace, { path, bytes, before });
  };
  /** Does something while the new file is being written. */
  const whileWriting = (act: () => Promise<void>) => {
    const { workspace } = under;
    const locate = workspace.locate.bind(workspace);
    workspace.locate = async (...args) => {
      const place = await locate(...args);
      const open = place.folder.open.bind(place.folder);
      place.folder.open = async (name, flags, mode) => {
        const handle = await open(name, flags, mode);
        if (flags & constants.O_WRONLY) await act();
        return handle;
      };
      return place;
    };
  };
  const content = (path: string) => readFile(under.at(path), 'utf8');

  it('answers where the file is', async () => {
    await symlink('a', under.at('link'));
    expect(await replace('./link//new/x.txt')).toBe('a/new/x.txt');
    expect(await content('a/new/x.txt')).toBe('written');
  });

  it('is another file afterwards: whoever has the old one open still reads that', async () => {
    const { ino } = await stat(under.at('inside.txt'));
    await replace('inside.txt');
    expect((await stat(under.at('inside.txt'))).ino).not.toBe(ino);
  });

  it('leaves alone what somebody changes meanwhile, and nothing behind', async () => {
    whileWriting(() => writeFile(under.at('inside.txt'), 'theirs'));
    await expect(replace('inside.txt')).rejects.toThrow(/changed by another process/);
    expect([await content('inside.txt'), await readdir(under.at('.'))]).toEqual([
      'theirs',
      ['a', 'inside.txt'],
    ]);
  });

  it('leaves alone what somebody makes meanwhile, and nothing behind', async () => {
    whileWriting(() => writeFile(under.at('a/new.txt'), 'theirs'));
    await expect(replace('a/new.txt')).rejects.toThrow(/changed by another process/);
    expect(await readdir(under.at('a'))).toEqual(['new.txt']);
  });

  it('leaves nothing behind when the new file can’t take its place', async () => {
    whileWriting(() => mkdir(under.at('a/new.txt')));
    await expect(replace('a/new.txt')).rejects.toThrow();
    expect(await readdir(under.at('a'))).toEqual(['new.txt']);
  });

  it('writes nothing outside when a folder becomes a link meanwhile', async () => {
    whileWriting(async () => {
      await rename(under.at('a'), under.at('moved'));
      await symlink('../outside', under.at('a'));
    });
    await replace('a/secret.txt').catch(() => {});
    expect(await readFile(join(under.base, 'outside/secret.txt'), 'utf8')).toBe(SECRET);
  });
});
