import { linkSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { GrepTool } from '../../src/tools/grep/grep.tool.js';
import type { ToolContext } from '../../src/tools/core/tool.js';
import { toolContext } from '../../src/testing/tool-context.js';
import { WorkspaceFolder } from '../support/tools/workspace-folder.js';
import { runs } from '../support/thoroughness.js';

const SECRET = 'the secret that nobody may read';

describe(GrepTool.name, () => {
  let folder: WorkspaceFolder;
  beforeEach(() => {
    folder = new WorkspaceFolder();
  });
  afterEach(() => folder.remove());

  type Input = Parameters<GrepTool['execute']>[0];
  const tool = () => new GrepTool(folder.workspaces, folder.config);
  const grep = async (asked: Input | string, context: Partial<ToolContext> = {}) => {
    const input = typeof asked === 'string' ? { pattern: asked } : asked;
    return (await tool().execute(input, toolContext(context))).text;
  };

  it('answers lines by file', async () => {
    folder.write({
      'src/b.ts': 'one\r\ntwo\r\nOne again',
      'src/a.ts': '\n\nno one\n',
      'c.md': 'One\n',
    });
    expect(await grep('one')).toBe('src/a.ts:3: no one\n\nsrc/b.ts:1: one\n[2 lines in 2 files]');
    expect(await grep({ pattern: '^one', ignore_case: true })).toBe(
      'c.md:1: One\n\nsrc/b.ts:1: one\nsrc/b.ts:3: One again\n[3 lines in 2 files]',
    );
    expect(await grep('three')).toBe('[No line matches.]');
  });

  it('finds the lines that a simple search finds', async () => {
    const character = fc.constantFrom('a', 'b', '\n', '\r\n', 'ä', '𝒳');
    const text = fc.array(character, { maxLength: 30 }).map((parts) => parts.join(''));
    const pattern = fc.constantFrom('a', '^a', 'b$', 'a|ä', '^$', 'a.b', '[^a]', '(?i)A+b');
    await fc.assert(
      fc.asyncProperty(text, pattern, async (content, source) => {
        folder.write({ f: content });
        const lines = content
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => line.replace(/\r$/, ''));
        const regex = new RegExp(
          source.replace('(?i)', ''),
          source.startsWith('(?i)') ? 'iu' : 'u',
        );
        const expected =
          content === ''
            ? []
            : lines.flatMap((line, at) => (regex.test(line) ? [`f:${at + 1}: ${line}`] : []));
        const found = (await grep(source)).split('\n').filter((line) => !line.startsWith('['));
        expect(found).toEqual(expected);
      }),
      { numRuns: runs(100) },
    );
  });

  it('searches a folder, a file, or files of a kind', async () => {
    folder.write({ 'a/x.ts': 'hit', 'a/b/x.ts': 'hit', 'a/b/x.md': 'hit', 'x.ts': 'hit' });
    const files = async (input: Omit<Input, 'pattern'>) =>
      (await grep({ pattern: 'hit', ...input })).match(/^[^[\n]*(?=:1: )/gm);
    expect(await files({ path: 'a' })).toEqual(['a/b/x.md', 'a/b/x.ts', 'a/x.ts']);
    expect(await files({ path: 'a/b/x.md' })).toEqual(['a/b/x.md']);
    expect(await files({ path: 'a/b/x.md', glob: '*.md' })).toEqual(['a/b/x.md']);
    expect(await files({ path: 'a/b/x.md', glob: '*.ts' })).toBeNull();
    expect(await files({ glob: '*.ts' })).toEqual(['a/b/x.ts', 'a/x.ts', 'x.ts']);
    expect(await files({ glob: '/*.ts' })).toEqual(['x.ts']);
    expect(await files({ glob: './a/*.ts' })).toEqual(['a/x.ts']);
    expect(await files({ path: 'a', glob: 'b/*.ts' })).toEqual(['a/b/x.ts']);
  });

  it('takes a glob for names in whatever letters they are spelled', async () => {
    folder.write({ 'fu\u0308r/U\u0308bung.txt': 'hit' });
    for (const input of [
      { glob: '\u00dc*' },
      { glob: 'f\u00fcr/*' },
      { path: 'f\u00fcr', glob: '\u00dc*' },
    ])
      expect(await grep({ pattern: 'hit', ...input })).toContain(
        'fu\u0308r/U\u0308bung.txt:1: hit',
      );
  });

  it('leaves out what .gitignore names, unless it is the file that is named', async () => {
    folder.write({ '.gitignore': 'dist\n', 'dist/a': 'hit', '.git/config': 'hit', b: 'hit' });
    expect(await grep('hit')).toBe('b:1: hit\n[1 line in 1 file]');
    expect(await grep({ pattern: 'hit', path: 'dist/a' })).toContain('dist/a:1: hit');
  });

  it('searches UTF-16 with a mark, and takes no mark for text', async () => {
    const text = Buffer.from('\ufeffhit ä\r\n', 'utf16le');
    folder.write({ 'a.txt': text, 'b.txt': Buffer.from(text).swap16(), 'c.txt': '\ufeffhit\r\n' });
    folder.write({ '.gitignore': '\ufeffd.txt\r\n', 'd.txt': 'hit' });
    expect(await grep('^hit')).toBe(
      'a.txt:1: hit ä\n\nb.txt:1: hit ä\n\nc.txt:1: hit\n[3 lines in 3 files]',
    );
  });

  it('leaves out binary and large files, and says so', async () => {
    folder.write({ 'a.bin': Buffer.from('hit\0'), 'b.txt': 'hit', 'c.txt': 'hit' });
    truncateSync(folder.at('c.txt'), 10_000_001);
    expect(await grep('hit')).toBe(
      'b.txt:1: hit\n[1 line in 1 file]\n[Binary files were left out.]\n[Files were left out that are larger than 10 MB.]',
    );
  });

  it('reads nothing outside: no link, no second name of a file, no pipe', async () => {
    writeFileSync(join(folder.base, 'secret'), SECRET);
    folder.write({ inside: 'hit' });
    symlinkSync('../secret', folder.at('link'));
    symlinkSync('..', folder.at('parent'));
    linkSync(join(folder.base, 'secret'), folder.at('hard'));
    expect(await grep('secret')).toBe(
      '[No line matches.]\n[Something was left out that could not be opened.]',
    );
    for (const path of ['link', 'parent', 'parent/secret', '../secret', folder.base])
      await expect(grep({ pattern: 'secret', path })).rejects.toThrow('refused');
    expect(await grep({ pattern: 'secret', path: 'hard' })).not.toContain(SECRET);
  });

  it.each(['file', 'folder'])(
    'reads nothing outside when a %s is swapped for a link',
    async (kind) => {
      writeFileSync(join(folder.base, 'key'), SECRET);
      folder.write({ 'b/a': 'secret: mine', 'b/c/key': 'secret: mine' });
      const path = kind === 'file' ? 'b/c/key' : 'b/c';
      const shows = (seen: string) => {
        if (seen === (kind === 'file' ? path : 'b/a')) {
          renameSync(folder.at(path), folder.at('away'));
          symlinkSync(kind === 'file' ? '../../../key' : '../..', folder.at(path));
        }
        return true;
      };
      const text = await grep('secret', { may_show: async () => shows });
      expect(text).not.toContain(SECRET);
      expect(text).toMatch(/^b\/a:1: .*could not be opened/s);
    },
  );

  it('does not open what the rules keep from being read, whatever is searched', async () => {
    folder.write({ '.env': SECRET, 'a/.env': SECRET, 'ok.txt': 'secret: none' });
    const asked: unknown[] = [];
    const may_show = async (tools: readonly string[]) => {
      asked.push(tools);
      return (path: string) => !path.endsWith('.env');
    };
    for (const input of [{}, { path: '.' }, { glob: '.env' }, { path: '.env' }, { path: 'a' }])
      expect(await grep({ pattern: 'secret', ...input }, { may_show })).not.toContain(SECRET);
    const hits = await grep({ pattern: 'secret', path: 'a' }, { may_show });
    expect(await grep({ pattern: 'nothing like it', path: 'a' }, { may_show })).toBe(hits);
    expect(asked[0]).toEqual(['grep', 'read']);
  });

  it('is not held up by a pattern that makes others backtrack', async () => {
    folder.write({ a: `${'a'.repeat(50_000)}!\n`.repeat(20) });
    for (const pattern of ['(a+)+$', '(a|a)*b', '(.*a){10}$'])
      expect(await grep(pattern)).toMatch(/No line|too long/);
  });

  it('says when a line is too long for the pattern', async () => {
    folder.write({ a: `${'a'.repeat(20_000)}\n${'a'.repeat(500)}` });
    expect(await grep('(?:a?){500}a{500}')).toMatch(
      /^a:2: a+…\n\[1 line in 1 file\]\n\[Lines were left out that are too long for this pattern\.\]$/,
    );
  });

  it('shows what is around the match in a long line', async () => {
    folder.write({ a: `${'x'.repeat(5000)}needle${'y'.repeat(5000)}` });
    const [line] = (await grep('needle')).split('\n');
    expect(line).toMatch(/^a:1: …x{100}needley{194}…$/);
  });

  it('lets others have their turn, and stops when it is told to', async () => {
    folder.write({ a: `${'aaaa\n'.repeat(400_000)}aac` });
    const canceller = new AbortController();
    let turns = 0;
    const timer = setInterval(() => {
      if (++turns === 3) canceller.abort();
    }, 1);
    const text = await grep('(a|b)+c', { signal: canceller.signal });
    clearInterval(timer);
    expect(turns).toBeGreaterThanOrEqual(3);
    expect(text).toBe('[No line matches.]');
  });

  it('answers no more than fits, and says so', async () => {
    folder.write({ a: 'hit\n'.repeat(2000) });
    const lines = (await grep('hit')).split('\n');
    expect(lines.slice(999)).toEqual([
      ...['a:1000: hit', '[1000 lines in 1 file]'],
      '[There is more than fits here: narrow the search.]',
    ]);
    folder.write({ a: `${'x'.repeat(290)}hit\n`.repeat(2000) });
    const text = await grep('hit');
    expect(text.length).toBeLessThan(30_000);
    expect(text).toMatch(/\[9\d lines in 1 file\]\n\[There is more/);
  });

  it.each([
    [{ pattern: '(' }, /missing closing \).*pattern/s],
    [{ pattern: '(?=a)' }, /No regular expression.*look-around/s],
    [{ pattern: 'a', glob: '{a' }, /glob.*braces/s],
    [{ pattern: '' }, /look for/],
  ])('says what is wrong with %j', (input, why) => {
    expect(tool().input.safeParse(input).error?.message).toMatch(why);
  });
});
