import { readFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { constants } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { Folder } from '../../src/workspace/folder.js';
import { findRealPath } from '../../src/workspace/find-real-path.js';
import { parsePath } from '../../src/workspace/parse-path.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { WorkspaceFault } from '../../src/workspace/workspace-fault.js';
import { HARMLESS, ON_DISK, SPELLINGS } from './attacks.js';
import { AttackedWorkspace, SECRET } from './attacked-workspace.js';

const ATTACKS = [...SPELLINGS, ...HARMLESS, ...ON_DISK];

describe.each([
  ['by descriptors', true],
  ['by paths', false],
])(`${Workspace.name}, walked %s`, (_, byDescriptor) => {
  let under: AttackedWorkspace;
  beforeEach(async () => {
    under = await AttackedWorkspace.make(byDescriptor);
  });
  afterEach(() => under.close());

  it('meets at least 80 attacks', () => {
    expect(ATTACKS.length).toBeGreaterThanOrEqual(80);
  });

  it.each(ATTACKS)('turns down reading: $why: $path', async (attack) => {
    await under.prepare(attack);
    const fault = await faultOf(readText(under.workspace, attack.path));
    const code = attack.code ?? 'refused';
    expect([fault.code, fault.message]).toEqual([code, expect.stringMatching(/.{20}/)]);
    expect(fault.message).not.toContain(under.base);
  });

  it.each([...SPELLINGS, ...ON_DISK])('writes nothing outside: $why: $path', async (attack) => {
    await under.prepare(attack);
    const before = await everythingOutside(under.base);
    await write(under.workspace, attack.path).catch(() => {});
    expect(await everythingOutside(under.base)).toEqual(before);
  });

  it.each([
    ['inside.txt', {}],
    ['./inside.txt', {}],
    ['a//../x', undefined],
    ['x', { x: 'inside.txt' }],
    ['x', { x: './a/../inside.txt' }],
    ['x', { x: '<base>/work/inside.txt' }],
    ['x/inside.txt', { x: '.' }],
    ['a/x/inside.txt', { 'a/x': '..' }],
    ['x/y/inside.txt', { x: 'a', 'a/y': '../' }],
  ])('reads %s where links are %j', async (path, links) => {
    if (!links)
      return expect((await faultOf(readText(under.workspace, path))).code).toBe('refused');
    await under.prepare({ why: '', path, links: links as Record<string, string> });
    expect(await readText(under.workspace, path)).toBe('inside');
  });

  it('finds a name by each spelling that is canonically equivalent, on the whole way', async () => {
    await write(under.workspace, 'fu\u0308r/U\u0308bung.txt');
    await symlink('fu\u0308r', under.at('o\u0308'));
    await symlink('f\u00fcr/\u00dcbung.txt', under.at('composed'));
    for (const path of ['f\u00fcr/\u00dcbung.txt', '\u00f6/U\u0308bung.txt', 'composed'])
      expect(await readText(under.workspace, path)).toBe('written');
    const { path } = await under.workspace.resolve('\u00f6/\u00dcbung.txt');
    expect(path).toBe('fu\u0308r/U\u0308bung.txt');
    await write(under.workspace, 'f\u00fcr/new.txt');
    expect((await readdir(under.at('fu\u0308r'))).toSorted()).toEqual([
      'U\u0308bung.txt',
      'new.txt',
    ]);
  });

  it('takes the name as it is spelled if it is there, and none of several others', async () => {
    const spellings = ['\u1e69', 's\u0323\u0307', 's\u0307\u0323'];
    for (const name of spellings) await writeFile(under.at(name), name);
    for (const name of spellings) expect(await readText(under.workspace, name)).toBe(name);
    await rm(under.at(spellings[0]!));
    expect((await faultOf(readText(under.workspace, spellings[0]!))).code).toBe('missing');
    await rm(under.at(spellings[1]!));
    expect(await readText(under.workspace, spellings[0]!)).toBe(spellings[2]);
  });

  it('leads out over no link, and into no pipe, by another spelling', async () => {
    const attack = { links: { 'u\u0308': '../outside' }, special: { 'o\u0308': 'fifo' } } as const;
    await under.prepare({ why: '', path: '', ...attack });
    expect((await faultOf(readText(under.workspace, '\u00fc/secret.txt'))).code).toBe('refused');
    expect((await faultOf(readText(under.workspace, '\u00f6'))).code).toBe('unsuitable');
  });

  it('looks at a limited number of names for another spelling', async () => {
    await writeFile(under.at('u\u0308'), 'x');
    const { root } = under.workspace;
    const limits: number[] = [];
    const list = root.list.bind(root);
    root.list = async (limit) => {
      limits.push(limit);
      const [entry] = await list(limit);
      return Array.from({ length: limit }, () => entry!);
    };
    expect((await faultOf(readText(under.workspace, '\u00fc'))).code).toBe('missing');
    await faultOf(readText(under.workspace, 'ascii'));
    expect(limits).toEqual([10_001]);
    await findRealPath(under.workspace, '\u00fc/'.repeat(1_000));
    expect(limits).toEqual([10_001, 10_001]);
  });

  it('makes folders on the way when asked to', async () => {
    await write(under.workspace, 'new/deep/file.txt');
    expect(await readFile(under.at('new/deep/file.txt'), 'utf8')).toBe('written');
  });

  it('does not take a file for a folder, nor a folder for a file', async () => {
    const codes = await Promise.all([
      faultOf(readText(under.workspace, 'a')),
      faultOf(readText(under.workspace, '.')),
      faultOf(readText(under.workspace, 'inside.txt/x')),
      faultOf(under.workspace.openFolder('inside.txt')),
    ]);
    expect(codes.map(({ code }) => code)).toEqual(Array(4).fill('unsuitable'));
  });

  it('is not led out by a link that takes the place of a file between look and opening', async () => {
    const { root } = under.workspace;
    afterLooking(root, async () => {
      await rename(under.at('inside.txt'), under.at('moved.txt'));
      await symlink('../secret.txt', under.at('inside.txt'));
    });
    expect((await faultOf(readText(under.workspace, 'inside.txt'))).code).toBe('refused');
  });

  it('is not led out by a link that takes the place of a folder between look and opening', async () => {
    await writeFile(under.at('a/secret.txt'), 'inside');
    afterLooking(under.workspace.root, async () => {
      await rename(under.at('a'), under.at('moved'));
      await symlink('../outside', under.at('a'));
    });
    expect((await faultOf(readText(under.workspace, 'a/secret.txt'))).code).toBe('refused');
  });

  it('is not led out by a folder that is swapped for a link while somebody stands in it', async () => {
    await writeFile(under.at('a/secret.txt'), 'inside');
    const folder = await under.workspace.openFolder('a');
    await rename(under.at('a'), under.at('moved'));
    await symlink('../outside', under.at('a'));
    const opened = folder.open('secret.txt', constants.O_RDONLY);
    const text = await opened.then(async (handle) => {
      const read = await handle.readFile('utf8');
      await handle.close();
      return read;
    }, String);
    expect(text).not.toContain(SECRET);
    await folder.close();
  });

  it('never reads a secret while somebody swaps folders and links all the time', async () => {
    await writeFile(under.at('a/secret.txt'), 'inside');
    await symlink('../outside', under.at('link'));
    let isOver = false;
    const swapping = swapUntil(under, () => isOver);
    const read: string[] = [];
    for (let n = 0; n < 400; n++)
      read.push(
        await readText(under.workspace, 'a/secret.txt').catch((error: Error) => error.message),
      );
    isOver = true;
    await swapping;
    expect(read.filter((text) => text.includes(SECRET))).toEqual([]);
    expect(read).toContain('inside');
  });
});

describe(parsePath.name, () => {
  it.each(['con', 'NUL.txt', 'a/aux', 'xy:stream', 'a.', 'b /c', 'a?b', 'LPT1'])(
    'refuses on Windows what means something else there: %s',
    (path) => {
      expect(() => parsePath(path, 'win32')).toThrow(WorkspaceFault);
      expect(parsePath(path, 'linux')).toEqual(path.split('/'));
    },
  );

  it('leaves ordinary names alone, whatever their script', () => {
    const path = 'src/Übung/日本語 (1)/..gitignore/.env.a+b=c@d#e!.tsx';
    expect(parsePath(path, 'linux')).toEqual(path.split('/'));
  });

  it('takes selectors and joiners that emoji and letters need for parts of names', () => {
    const path = '❤\ufe0f/👩\u200d💻/نامه\u200cها/क्\u200dष.txt';
    expect(parsePath(path, 'linux')).toEqual(path.split('/'));
  });
});

async function readText(workspace: Workspace, path: string): Promise<string> {
  const { handle } = await workspace.openFile(path);
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

async function write(workspace: Workspace, path: string): Promise<void> {
  const { folder, name } = await workspace.locate(path, { make: true });
  try {
    const { O_WRONLY, O_CREAT, O_EXCL } = constants;
    const handle = await folder.open('temporary', O_WRONLY | O_CREAT | O_EXCL);
    await handle.writeFile('written');
    await handle.close();
    await folder.rename('temporary', name);
  } finally {
    await folder.close();
  }
}

async function faultOf(attempt: Promise<unknown>): Promise<WorkspaceFault> {
  const error: unknown = await attempt.then(
    (value) => new Error(`nothing was wrong: ${String(value)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof WorkspaceFault) return error;
  throw error;
}

/** Names, types and contents. */
async function everythingOutside(base: string): Promise<unknown[]> {
  const entries = await readdir(base, { recursive: true, withFileTypes: true });
  const outside = entries.filter(({ parentPath }) => !`${parentPath}/`.startsWith(`${base}/work/`));
  return Promise.all(
    outside.map(async (entry) => [
      join(entry.parentPath, entry.name),
      entry.isFile() ? await readFile(join(entry.parentPath, entry.name), 'utf8') : 'folder',
    ]),
  ).then((all) => all.toSorted());
}

/** Does something right after the first look at a name. */
function afterLooking(folder: Folder, act: () => Promise<void>): void {
  const find = folder.find.bind(folder);
  folder.find = async (name) => {
    const stats = await find(name);
    folder.find = find;
    await act();
    return stats;
  };
}

async function swapUntil(under: AttackedWorkspace, isOver: () => boolean): Promise<void> {
  for (let turn = 0; !isOver(); turn++) {
    for (let tick = (turn % 8) * 20; tick > 0; tick--) await nextTick(); // not in step with the reader
    await rename(under.at('a'), under.at('moved'));
    await rename(under.at('link'), under.at('a'));
    await rename(under.at('a'), under.at('link'));
    await rename(under.at('moved'), under.at('a'));
  }
}
