import { chmod, link, mkdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { FilesWorld } from './files-world.js';

const CODE = 'const a = 1;\nconst b = 2;\nconst c = 3;\n';

describe('The tools write and edit', () => {
  let world: FilesWorld;
  beforeEach(async () => {
    world = await FilesWorld.open();
    await mkdir(world.at(''), { recursive: true });
  });
  afterEach(() => world.close());

  const read = (path: string, chat_uid = 'one') => world.call('read', { path }, { chat_uid });
  const write = (path: string, content: string) => world.call('write', { path, content });
  const edit = (path: string, old_string: string, new_string: string, more: object = {}) =>
    world.call('edit', { path, old_string, new_string, ...more });
  const give = async (path: string, content: string | Buffer) => {
    await writeFile(world.at(path), content);
    await read(path);
  };

  describe('write', () => {
    it('makes a file, and the folders that it needs', async () => {
      expect(await write('src/deep/a.txt', 'one\ntwo')).toEqual({
        text: 'Created src/deep/a.txt: 2 lines, 7 bytes.',
        ...{ is_error: false, truncated: false, started: true },
      });
      expect(await world.content('src/deep/a.txt')).toBe('one\ntwo');
      expect(await world.everything()).toEqual(['src', 'src/deep', 'src/deep/a.txt']);
    });

    it('puts a file in the place of one that was read, with its mode', async () => {
      await give('run.sh', 'old\n');
      await chmod(world.at('run.sh'), 0o751);
      expect((await write('run.sh', 'new\n')).text).toBe('Overwrote run.sh: 1 line, 4 bytes.');
      expect([await world.content('run.sh'), await world.mode('run.sh')]).toEqual(['new\n', 0o751]);
    });

    it('goes on from what it wrote itself', async () => {
      await write('a.txt', 'one');
      expect((await write('a.txt', 'two')).is_error).toBe(false);
      expect((await edit('a.txt', 'two', 'three')).is_error).toBe(false);
      expect(await world.content('a.txt')).toBe('three');
    });

    it('changes nothing where nothing is to be changed', async () => {
      await give('a.txt', 'one');
      const before = await stat(world.at('a.txt'));
      const { text, started } = await write('a.txt', 'one');
      expect([text, started]).toEqual([
        'a.txt holds exactly this already: nothing was changed.',
        false,
      ]);
      expect((await stat(world.at('a.txt'))).ino).toBe(before.ino);
    });

    it('writes to what a link inside leads to', async () => {
      await give('real.txt', 'old');
      await symlink('real.txt', world.at('link.txt'));
      expect((await write('link.txt', 'new')).is_error).toBe(false);
      expect(await world.content('real.txt')).toBe('new');
    });

    it('changes a file whose name and folder are spelled in decomposed letters', async () => {
      await mkdir(world.at('Entwu\u0308rfe'));
      await writeFile(world.at('Entwu\u0308rfe/U\u0308bung.txt'), 'old');
      const path = 'Entw\u00fcrfe/\u00dcbung.txt';
      expect((await write(path, 'new')).text).toContain('has not been read in this chat');
      await read(path);
      expect((await write(path, 'new')).is_error).toBe(false);
      expect((await edit(path, 'new', 'newer')).is_error).toBe(false);
      expect((await write('Entw\u00fcrfe/b.txt', 'b')).is_error).toBe(false);
      expect(await world.everything()).toEqual([
        'Entwu\u0308rfe',
        'Entwu\u0308rfe/U\u0308bung.txt',
        'Entwu\u0308rfe/b.txt',
      ]);
    });

    it('has the rules judge the path as it is spelled', async () => {
      await writeFile(world.at('u\u0308'), 'secret');
      const may_show = () => Promise.resolve((path: string) => path !== 'u\u0308');
      const fault = /by another spelling/;
      for (const [name, content] of [['read'], ['write', 'x']] as const) {
        const { text } = await world.call(name, { path: '\u00fc', content }, { may_show });
        expect(text).toMatch(fault);
      }
      expect(await world.content('u\u0308')).toBe('secret');
    });

    it('has the rules judge what a link leads to, also if its folders are missing', async () => {
      await symlink('secrets/deep/../key', world.at('link'));
      const may_show = () => Promise.resolve((path: string) => path !== 'secrets/key');
      const { text } = await world.call('write', { path: 'link', content: 'x' }, { may_show });
      expect(text).toMatch(/leads over a link/);
      expect(await world.everything()).toEqual(['link']);
    });

    it.each([
      ['../out.txt', /leads out/],
      ['.', /is a folder/],
      ['file/x', /is not a folder/],
      ['hard.txt', /hard link/],
      ['out/x', /leads out/],
      ['a\u200b.txt', /invisible character/],
    ])('does not write to %j', async (path, fault) => {
      await give('file', 'x');
      await writeFile(`${world.base}/outside.txt`, 'outside');
      await link(`${world.base}/outside.txt`, world.at('hard.txt'));
      await symlink('..', world.at('out'));
      const { text, is_error, started } = await write(path, 'written');
      expect([text, is_error, started]).toEqual([expect.stringMatching(fault), true, false]);
    });

    it('leaves a file alone that is read-only', async () => {
      await give('a.txt', 'one');
      await chmod(world.at('a.txt'), 0o444);
      expect((await write('a.txt', 'two')).text).toBe('a.txt is read-only, and is left as it is.');
      expect(await world.content('a.txt')).toBe('one');
    });

    it('makes no file of Git, whose programs run with the next command', async () => {
      await mkdir(world.at('.git/hooks'), { recursive: true });
      await symlink('.git', world.at('linked'));
      for (const path of [
        '.git/config',
        'sub/.git',
        'sub/.GIT/hooks/pre-commit',
        'linked/config',
      ]) {
        const { text, is_error, started } = await write(path, 'evil');
        expect({ is_error, started }).toEqual({ is_error: true, started: false });
        expect(text).toContain('git config');
      }
      expect((await write('.gitignore', 'node_modules')).is_error).toBe(false);
      expect(await world.everything()).not.toContain('.git/config');
    });

    it('takes no text that would not come out as it went in', async () => {
      expect((await write('a.txt', 'a\0b')).text).toMatch(/NUL/);
      expect((await write('a.txt', 'a\ud800b')).text).toMatch(/surrogate/);
      expect(await world.everything()).toEqual([]);
    });
  });

  describe('A file that somebody else may have changed', () => {
    const UNREAD = 'a.txt already exists and has not been read in this chat.';
    const CHANGED = 'a.txt has changed since it was last read or written in this chat.';
    const expectRefused = async (reason: string, content: string) => {
      for (const call of [write('a.txt', 'mine'), edit('a.txt', 'a', 'b')]) {
        const { text, is_error, started } = await call;
        expect([text, is_error, started]).toEqual([expect.stringContaining(reason), true, false]);
      }
      expect(await world.content('a.txt')).toBe(content);
    };

    it('is left alone while has not been read', async () => {
      await writeFile(world.at('a.txt'), 'a');
      await expectRefused(UNREAD, 'a');
      await read('a.txt');
      expect((await edit('a.txt', 'a', 'b')).is_error).toBe(false);
    });

    it('is left alone when it has changed since, and is not when it was read again', async () => {
      await give('a.txt', 'a');
      await writeFile(world.at('a.txt'), 'ab');
      await expectRefused(CHANGED, 'ab');
      await read('a.txt');
      expect((await edit('a.txt', 'ab', 'b')).is_error).toBe(false);
    });

    it('is left alone when it was changed with the same size and time', async () => {
      await give('a.txt', 'a');
      const { atime, mtime } = await stat(world.at('a.txt'));
      await writeFile(world.at('a.txt'), 'b');
      await utimes(world.at('a.txt'), atime, mtime);
      await expectRefused(CHANGED, 'b');
    });

    it('may be touched', async () => {
      await give('a.txt', 'a');
      await utimes(world.at('a.txt'), 0, 0);
      expect((await edit('a.txt', 'a', 'b')).is_error).toBe(false);
    });

    it('is left alone when another chat has read it', async () => {
      const shared = await FilesWorld.open({ WORKSPACE_MODE: 'shared' });
      await mkdir(shared.at('', ''), { recursive: true });
      await writeFile(shared.at('a.txt', ''), 'a');
      await shared.call('read', { path: 'a.txt' }, { chat_uid: 'two' });
      const input = { path: 'a.txt', content: 'b' };
      expect((await shared.call('write', input)).text).toContain(UNREAD);
      expect((await shared.call('write', input, { chat_uid: 'two' })).is_error).toBe(false);
      await shared.close();
    });

    it('is known by where it is, not by how it is called', async () => {
      await give('a.txt', 'a');
      await symlink('a.txt', world.at('b.txt'));
      expect((await edit('./b.txt', 'a', 'b')).is_error).toBe(false);
    });

    it('is left alone when it changes in the last moment', async () => {
      await give('a.txt', 'a');
      world.onStart = () => writeFile(world.at('a.txt'), 'changed');
      expect((await write('a.txt', 'mine')).text).toMatch(/changed by another process/);
      expect(await world.content('a.txt')).toBe('changed');
      world.onStart = () => writeFile(world.at('new.txt'), 'theirs');
      expect((await write('new.txt', 'mine')).text).toMatch(/changed by another process/);
      expect(await world.everything()).toEqual(['a.txt', 'new.txt']);
    });
  });

  describe('edit', () => {
    it('replaces what is there once', async () => {
      await give('a.ts', CODE);
      const { text, started } = await edit('a.ts', 'b = 2', 'b = 20');
      expect([text, started]).toEqual(['Edited a.ts: replaced it in line 2.', true]);
      expect(await world.content('a.ts')).toBe(CODE.replace('b = 2', 'b = 20'));
    });

    it('replaces all when asked to', async () => {
      await give('a.ts', CODE);
      const { text } = await edit('a.ts', 'const', 'let', { replace_all: true });
      expect(text).toBe('Edited a.ts: replaced it 3 times, in lines 1, 2, 3.');
      expect(await world.content('a.ts')).toBe(CODE.replaceAll('const', 'let'));
    });

    it('shows where it is when it is there several times', async () => {
      await give('a.ts', CODE);
      const { text, is_error } = await edit('a.ts', 'const', 'let');
      expect(is_error).toBe(true);
      expect(text).toContain('3 times');
      expect(text).toContain('     1\tconst a = 1;\n     2\tconst b = 2;\n     3\tconst c = 3;');
    });

    it('shows the nearest when it is not there', async () => {
      await give('a.ts', CODE);
      const { text, started } = await edit('a.ts', '     2\tconst  b = 2;', 'x');
      expect(started).toBe(false);
      expect(text).toBe(
        'old_string is not in a.ts.\nLeave out the line numbers that read puts before the lines.\nThe nearest to it:\nLine 2 (only white space differs):\n     2\tconst b = 2;\nCopy the text exactly as it is in the file, white space included, and try again.',
      );
    });

    it('keeps mark, endings, a missing newline at the end, and mode', async () => {
      await give('a.txt', '\uFEFFone\r\ntwo\r\nthree');
      await chmod(world.at('a.txt'), 0o640);
      await edit('a.txt', 'one\ntwo', '1\n2\n2b');
      expect(await world.content('a.txt')).toBe('\uFEFF1\r\n2\r\n2b\r\nthree');
      expect(await world.mode('a.txt')).toBe(0o640);
    });

    it.each([
      [{ old_string: 'a', new_string: 'a' }, /nothing would change/],
      [{ old_string: '', new_string: 'a' }, /use write/],
      [
        { old_string: 'const a = 1;\n', new_string: 'const a = 1;\r\n' },
        /only line endings differ/,
      ],
    ])('refuses what would change nothing: %j', async (input, fault) => {
      await give('a.ts', CODE);
      const { text, started } = await world.call('edit', { path: 'a.ts', ...input });
      expect([text, started]).toEqual([expect.stringMatching(fault), false]);
    });

    it('makes no file, and edits none that is no text', async () => {
      expect((await edit('none', 'a', 'b')).text).toMatch(/There is no "none"/);
      await writeFile(world.at('a.bin'), Buffer.from([97, 0]));
      await read('a.bin');
      expect((await edit('a.bin', 'a', 'b')).is_error).toBe(true);
    });

    it('keeps the work of calls that are made at once', async () => {
      const lines = Array.from({ length: 20 }, (_, at) => `<${at}>`);
      await give('a.txt', lines.join('\n'));
      const edits = lines.map((line) => edit('a.txt', line, `${line} done`));
      expect((await Promise.all(edits)).map(({ is_error }) => is_error)).toEqual(
        lines.map(() => false),
      );
      expect(await world.content('a.txt')).toBe(lines.map((line) => `${line} done`).join('\n'));
    });
  });

  it('change nothing when the call is cancelled before the effect begins', async () => {
    await give('a.txt', 'a');
    const stop = new AbortController();
    world.onStart = () => Promise.resolve(stop.abort());
    const call = world.call('write', { path: 'a.txt', content: 'b' }, { signal: stop.signal });
    expect((await call).is_error).toBe(true);
    expect(await world.content('a.txt')).toBe('a');
  });

  it('remove what a process left behind that was killed while it wrote', async () => {
    const name = (digit: number) => `.parley-${`${digit}`.repeat(36)}.tmp`;
    await give(name(1), 'abandoned');
    await give(name(2), 'being written');
    await give('.parley-x.tmp', 'not ours');
    await utimes(world.at(name(1)), 0, 0);
    await utimes(world.at('.parley-x.tmp'), 0, 0);
    await write('a.txt', 'a');
    expect(await world.everything()).toEqual([name(2), '.parley-x.tmp', 'a.txt'].toSorted());
  });

  describe('What people read who have to approve', () => {
    it('is what would really change', async () => {
      await give('a.ts', CODE);
      const change = { path: 'a.ts', old_string: 'b = 2', new_string: 'b = 20' };
      const hunk = ' const a = 1;\n-const b = 2;\n+const b = 20;\n const c = 3;';
      expect(await world.summary('edit', change)).toBe(
        `Edit a.ts (+1 −1 lines)\n--- a.ts\n+++ a.ts\n@@ -1,3 +1,3 @@\n${hunk}`,
      );
      expect(await world.summary('write', { path: 'a.ts', content: '' })).toContain(
        '(+0 −3 lines)',
      );
      expect(await world.summary('write', { path: 'new/b.ts', content: 'x\n' })).toBe(
        'Write new/b.ts (+1 −0 lines)\n--- /dev/null\n+++ new/b.ts\n@@ -0,0 +1,1 @@\n+x',
      );
      expect(await world.everything()).toEqual(['a.ts']);
    });

    it('tells of line endings and marks', async () => {
      await give('a.txt', '\uFEFFa\r\n');
      expect(await world.summary('write', { path: 'a.txt', content: 'b\n' })).toContain(
        '\nLine endings: CRLF becomes LF.\nThe byte order mark goes.\n',
      );
    });

    it('says why it would do nothing', async () => {
      await writeFile(world.at('a.txt'), 'a');
      const said = await Promise.all([
        world.summary('write', { path: 'a.txt', content: 'b' }),
        world.summary('edit', { path: 'none', old_string: 'a', new_string: 'b' }),
        world.summary('write', { path: '../two/a.txt', content: 'b' }),
      ]);
      expect(said).toEqual([
        expect.stringMatching(/^Write a file, which would fail as it is now: .*has not been read/),
        expect.stringMatching(/^Edit a file, which would fail .*There is no "none"/),
        expect.stringMatching(/^Write a file, which would fail .*leads out/),
      ]);
    });
  });

  it('find a file again that is gone and back', async () => {
    await give('a.txt', 'a');
    await rm(world.at('a.txt'));
    expect((await write('a.txt', 'b')).text).toMatch(/^Created/);
  });
});
