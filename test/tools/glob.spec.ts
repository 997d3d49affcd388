import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { GlobTool } from '../../src/tools/glob/glob.tool.js';
import type { ToolContext } from '../../src/tools/core/tool.js';
import { toolContext } from '../../src/testing/tool-context.js';
import { WorkspaceFolder } from '../support/tools/workspace-folder.js';
import { runs } from '../support/thoroughness.js';

const NAMES = ['a', 'b', 'ab', 'a.b', '.a'];

describe(GlobTool.name, () => {
  let folder: WorkspaceFolder;
  beforeEach(() => {
    folder = new WorkspaceFolder();
  });
  afterEach(() => folder.remove());

  const glob = async (
    input: { pattern: string; path?: string },
    context: Partial<ToolContext> = {},
  ) => {
    const tool = new GlobTool(folder.workspaces, folder.config);
    return (await tool.execute(input, toolContext(context))).text;
  };
  const found = async (pattern: string, path?: string) =>
    (await glob({ pattern, ...(path !== undefined && { path }) }))
      .split('\n')
      .filter((line) => !line.startsWith('['));

  it('finds what a simple matcher finds, in the order of the paths', async () => {
    const paths = NAMES.flatMap((name) => [
      `${name}1`,
      ...NAMES.flatMap((inner) => [`${name}/${inner}1`, `${name}/${inner}/b`]),
    ]);
    folder.write(Object.fromEntries(paths.map((path) => [path, ''])));
    const segment = fc
      .array(fc.constantFrom('a', 'b', '1', '.', '*', '?', '[ab]', '[!a]', '{a,b1}'), {
        minLength: 1,
        maxLength: 3,
      })
      .map((parts) => parts.join('').replace(/\*+/g, '*'))
      .filter((text) => !/^\.+$/.test(text));
    const pattern = fc
      .array(fc.oneof(segment, fc.constant('**')), { minLength: 1, maxLength: 4 })
      .map((segments) => segments.join('/'));
    await fc.assert(
      fc.asyncProperty(pattern, async (text) => {
        const expected = paths.filter((path) => matches(text, path)).sort();
        expect(await found(text)).toEqual(expected);
      }),
      { numRuns: runs(100) },
    );
  });

  it('finds names in whatever letters they are spelled, and leaves out none with a joiner', async () => {
    const paths = ['Entwu\u0308rfe/U\u0308bung.txt', 'نامه\u200cها.txt', '❤\ufe0f.txt'];
    folder.write(Object.fromEntries(paths.map((path) => [path, ''])));
    expect(await found('Entw\u00fcrfe/\u00dc*.txt')).toEqual([paths[0]]);
    expect(await found('**/U\u0308*', 'Entw\u00fcrfe')).toEqual([paths[0]]);
    expect((await glob({ pattern: '*.txt' })).split('\n').slice(0, 2)).toEqual(paths.slice(1));
    expect(await glob({ pattern: '*.txt' })).not.toContain('left out');
  });

  it('looks below a folder, and answers paths that other tools can be given', async () => {
    folder.write({ 'src/a.ts': '', 'src/b/c.ts': '', 'd.ts': '' });
    expect(await found('**/*.ts', 'src')).toEqual(['src/a.ts', 'src/b/c.ts']);
    expect(await found('b/*', './src/')).toEqual(['src/b/c.ts']);
    expect(await found('src/b/*')).toEqual(['src/b/c.ts']);
    expect(await found('./src//*.ts')).toEqual(['src/a.ts']);
    expect(await glob({ pattern: '*.ts', path: 'src' })).toBe('src/a.ts\n[1 file]');
  });

  it('says how to look further when there is nothing', async () => {
    folder.write({ 'a/b.md': '' });
    expect(await glob({ pattern: '*.md' })).toBe(
      '[No file has such a path; **/*.md would also look in the folders below.]',
    );
    await expect(glob({ pattern: '*', path: 'a/b.md' })).rejects.toThrow('is a file');
    await expect(glob({ pattern: '*', path: 'missing' })).rejects.toThrow('no "missing"');
  });

  it.each(['..', '/etc', 'a/../..', '~', 'a\\b'])(
    'takes no path that leads out: %s',
    async (path) => {
      await expect(glob({ pattern: '*', path })).rejects.toThrow('is refused');
    },
  );

  it('follows no link, out or inside', async () => {
    folder.write({ 'real/x.ts': '' });
    writeFileSync(join(folder.base, 'secret.ts'), '');
    symlinkSync(folder.base, folder.at('out'));
    symlinkSync('../secret.ts', folder.at('secret.ts'));
    symlinkSync('real', folder.at('inside'));
    symlinkSync('.', folder.at('real/loop'));
    expect(await found('**')).toEqual(['real/x.ts']);
    await expect(glob({ pattern: '**', path: 'out' })).rejects.toThrow('leads out');
    expect(await found('**', 'inside')).toEqual(['real/x.ts']);
  });

  it('names nothing outside when a folder is swapped for a link in the middle', async () => {
    const between = Array.from({ length: 20 }, (_, i) => `b${i + 10}`);
    folder.write(Object.fromEntries(['a/1', ...between, 'c/2', 'd/3'].map((path) => [path, ''])));
    mkdirSync(join(folder.base, 'outside'));
    writeFileSync(join(folder.base, 'outside/secret'), '');
    const shows = (path: string) => {
      if (path === 'a/1') {
        renameSync(folder.at('c'), folder.at('c.away'));
        symlinkSync('../outside', folder.at('c'));
      }
      return true;
    };
    const text = await glob({ pattern: '**' }, { may_show: () => Promise.resolve(shows) });
    const shown = ['a/1', ...between, 'd/3', '[22 files]'].join('\n');
    expect(text).toBe(`${shown}\n[Something was left out that could not be opened.]`);
  });

  const git = spawnSync('git', ['--version']).status === 0;
  (git ? it : it.skip)('leaves out what git leaves out', async () => {
    const dirs = ['', 'a', 'a/b', 'ab'];
    const paths = dirs.flatMap((dir) => ['a1', 'b1', 'x.log', 'ba'].map((name) => join(dir, name)));
    folder.write(Object.fromEntries(paths.map((path) => [path, ''])));
    execFileSync('git', ['init', '-q', folder.at('')]);
    const line = fc
      .array(
        fc.constantFrom('a', 'b', '/', '*', '**/', '/**', '?', '.log', '[ab]', '{a}', '\\a', ' '),
        { minLength: 1, maxLength: 4 },
      )
      .chain((parts) => fc.constantFrom('', '', '!', '#', '/').map((sign) => sign + parts.join('')))
      .filter((text) => !/[^/!]\*\*|\*\*[^/]/.test(text) && !text.includes('//'));
    const file = fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n'));
    await fc.assert(
      fc.asyncProperty(fc.array(file, { minLength: 4, maxLength: 4 }), async (files) => {
        folder.write(
          Object.fromEntries(files.map((text, at) => [join(dirs[at]!, '.gitignore'), text])),
        );
        const told = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], {
          cwd: folder.at(''),
          env: {
            PATH: process.env['PATH'],
            GIT_CONFIG_GLOBAL: '/dev/null',
            GIT_CONFIG_SYSTEM: '/dev/null',
          },
        });
        expect(await found('**')).toEqual(told.toString().split('\0').filter(Boolean).sort());
      }),
      { numRuns: runs(40) },
    );
  });

  it('looks into an ignored folder that is named', async () => {
    folder.write({ '.gitignore': 'dist\n*.log\n', 'dist/a.js': '', 'dist/b.log': '', 'c.js': '' });
    expect(await found('**/*.js')).toEqual(['c.js']);
    expect(await found('*', 'dist')).toEqual(['dist/a.js']);
  });

  it('is not held up by patterns that make others backtrack', async () => {
    const name = 'a'.repeat(200);
    folder.write({ '.gitignore': `${'*a'.repeat(40)}*b\n`, [name]: '' });
    expect(await found(`${'*a'.repeat(40)}*b`)).toEqual([]);
    expect(await found('*a'.repeat(40))).toEqual([name]);
  });

  it('names no file that no tool could be given', async () => {
    folder.write({ 'good\u200bbad': '', 'line\n[1 file]': '', '~x': '', 'sub/C:x': '' });
    expect(await glob({ pattern: '**' })).toBe(
      'sub/C:x\n~x\n[2 files]\n[Files were left out whose names no tool can be given.]',
    );
  });

  it('lists no more than fits, and says so', async () => {
    const names = Array.from({ length: 1100 }, (_, at) => String(at).padStart(4, '0'));
    folder.write(Object.fromEntries(names.map((name) => [name, ''])));
    const text = await glob({ pattern: '*' });
    expect(text.split('\n').slice(998)).toEqual([
      ...['0998', '0999', '[1000 files]'],
      '[There is more than fits here: narrow the search.]',
    ]);
  });

  it('ends when it is told to', async () => {
    folder.write({ 'a/1': '', 'b/2': '' });
    const canceller = new AbortController();
    const shows = (path: string) => {
      if (path === 'a/1') canceller.abort();
      return true;
    };
    const { signal } = canceller;
    const text = await glob({ pattern: '**' }, { signal, may_show: async () => shows });
    expect(text).toBe('a/1\n[1 file]');
  });

  it('leaves out what the rules keep from being shown', async () => {
    folder.write({ '.env': '', 'a.ts': '', 'secrets/key': '' });
    const asked: unknown[] = [];
    const may_show = async (tools: readonly string[]) => {
      asked.push(tools);
      return (path: string) => path === 'a.ts';
    };
    expect(await glob({ pattern: '**' }, { may_show })).toBe(
      'a.ts\n[1 file]\n[Files were left out that the permission rules keep from being shown.]',
    );
    expect(asked).toEqual([['glob']]);
  });

  it.each([
    ['/etc/**', 'relative'],
    ['../*', 'relative'],
    ['a/../b', 'relative'],
    ['{a', 'braces'],
    ['[z-a]', 'glob'],
    ['', 'look for'],
  ])('says what is wrong with the pattern %s', (pattern, why) => {
    const tool = new GlobTool(folder.workspaces, folder.config);
    const { error } = tool.input.safeParse({ pattern });
    expect(error?.message).toContain(why);
  });
});

/** As slow as can be. */
function matches(pattern: string, path: string): boolean {
  const alternatives = /^(.*?)\{(.*?),(.*?)\}(.*)$/.exec(pattern);
  if (alternatives) {
    const [, before, one, other, after] = alternatives;
    return [one, other].some((text) => matches(`${before}${text}${after}`, path));
  }
  return matchesSegments(pattern.split('/'), path.split('/'));
}

function matchesSegments([first, ...rest]: string[], names: string[]): boolean {
  if (first === undefined) return names.length === 0;
  if (first === '**') {
    if (rest.length === 0) return names.length > 0;
    return names.some((_, at) => matchesSegments(rest, names.slice(at)));
  }
  const [name, ...others] = names;
  return name !== undefined && matchesName(first, name) && matchesSegments(rest, others);
}

function matchesName(pattern: string, name: string): boolean {
  if (pattern === '') return name === '';
  if (pattern.startsWith('*'))
    return Array.from({ length: name.length + 1 }).some((_, at) =>
      matchesName(pattern.slice(1), name.slice(at)),
    );
  if (name === '') return false;
  const set = /^\[(!?)(.*?)\]/.exec(pattern);
  if (set)
    return (
      set[2]!.includes(name[0]!) !== (set[1] === '!') &&
      matchesName(pattern.slice(set[0].length), name.slice(1))
    );
  const isSame = pattern.startsWith('?') || pattern[0] === name[0];
  return isSame && matchesName(pattern.slice(1), name.slice(1));
}
