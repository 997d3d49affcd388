import { execFileSync } from 'node:child_process';
import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { IMAGES, pngOf } from '../support/tools/images.js';
import { FilesWorld } from './files-world.js';

describe('The tool read', () => {
  let world: FilesWorld;
  beforeEach(async () => {
    world = await FilesWorld.open({ TOOL_OUTPUT_LIMIT: '2000' });
    await mkdir(world.at('src'), { recursive: true });
  });
  afterEach(() => world.close());

  const read = (input: object) => world.call('read', input);
  const give = (path: string, content: string | Buffer) => writeFile(world.at(path), content);

  it('answers the lines with their numbers', async () => {
    await give('src/a.txt', 'one\ntwo\n');
    const expected = { text: '     1\tone\n     2\ttwo', is_error: false, truncated: false };
    expect(await read({ path: './src//a.txt' })).toMatchObject(expected);
  });

  it('answers what is asked for, and says how to go on', async () => {
    await give('a.txt', 'a\nb\nc\nd\n');
    const { text } = await read({ path: 'a.txt', offset: 2, limit: 2 });
    expect(text).toBe(
      '     2\tb\n     3\tc\n[Lines 2 to 3 of 4. For more, read on with offset 4.]',
    );
    const rest = await read({ path: 'a.txt', offset: 4 });
    expect(rest.text).toBe('     4\td\n[Lines 4 to 4; these are the last.]');
    expect(await read({ path: 'a.txt', offset: 5 })).toMatchObject({
      text: 'a.txt has only 4 lines; there is no line 5.',
      is_error: true,
    });
  });

  it('answers a long file in parts that fit, without a gap', async () => {
    const lines = Array.from({ length: 300 }, (_, at) => `line ${at} ${'x'.repeat(at % 50)}`);
    await give('long.txt', lines.map((line) => `${line}\n`).join(''));
    const seen: string[] = [];
    for (let offset = 1; offset <= 300;) {
      const { text, truncated } = await read({ path: 'long.txt', offset });
      expect(text.length).toBeLessThanOrEqual(2_000);
      const shown = text.split('\n').filter((line) => /^ *\d+\t/.test(line));
      seen.push(...shown.map((line) => line.replace(/^ *\d+\t/, '')));
      offset += shown.length;
      expect(truncated).toBe(offset <= 300);
      if (truncated) expect(text).toContain(`read on with offset ${offset}.`);
    }
    expect(seen).toEqual(lines);
  });

  it('says what the lines don’t show', async () => {
    await give('empty.txt', '');
    await give('odd.txt', '\uFEFFa\r\nb');
    expect((await read({ path: 'empty.txt' })).text).toBe('[The file is empty.]');
    expect((await read({ path: 'odd.txt' })).text).toBe(
      '     1\ta\n     2\tb\n[The file begins with a byte order mark.]\n[Its lines end in CRLF; edit keeps that.]\n[The last line has no newline at its end.]',
    );
  });

  it.each([
    ['NUL bytes', Buffer.from('a\0b'), /is not text: it has NUL bytes/],
    ['another encoding', Buffer.from([0x66, 0xfc, 0x72]), /is not UTF-8 text; .*iconv/],
    ['UTF-16', Buffer.from('\uFEFFa', 'utf16le'), /is UTF-16 text/],
  ])('says what to do with a file that is no text: %s', async (_, bytes, fault) => {
    await give('file.bin', bytes);
    const { text, is_error } = await read({ path: 'file.bin' });
    expect([is_error, text]).toEqual([true, expect.stringMatching(fault)]);
    expect(text).toMatch(/with bash/);
  });

  it('shows an image, whatever it is called, and knows what is in the file from then on', async () => {
    await give('notes.txt', Buffer.from(IMAGES.png, 'base64'));
    expect(await read({ path: 'notes.txt' })).toEqual({
      ...{ is_error: false, truncated: false, started: false },
      text: 'notes.txt is an image: image/png, 3×2, 73 bytes. If you don’t see it with this result any more, read it again.',
      images: [{ media_type: 'image/png', data: IMAGES.png }],
    });
    const written = await world.call('write', { path: 'notes.txt', content: 'text' });
    expect(written.is_error).toBe(false);
  });

  it.each([
    [
      'that is too large',
      pngOf(1024 * 1024 + 1),
      /\(image\/png, 3×2, 1,048,577 bytes\) that has more/,
    ],
    [
      'that is cut off',
      Buffer.from(IMAGES.jpeg, 'base64').subarray(0, 300),
      /damaged or not complete/,
    ],
    ['that is animated', Buffer.from(IMAGES.animated_gif, 'base64'), /is animated/],
  ])('says what to do with an image %s', async (_, bytes, fault) => {
    await give('file.png', bytes);
    const { text, is_error, images } = await read({ path: 'file.png' });
    expect([is_error, images, text]).toEqual([true, undefined, expect.stringMatching(fault)]);
    expect(text).toMatch(/Make a copy with bash/);
  });

  it('reads nothing that is huge, and says what to do instead', async () => {
    await give('huge.log', '');
    await truncate(world.at('huge.log'), 5 * 1024 * 1024 * 1024);
    const { text, is_error } = await read({ path: 'huge.log' });
    expect([is_error, text]).toEqual([true, expect.stringMatching(/5120\.0 MiB.*grep.*bash/)]);
  });

  it('says what is wrong with a path', async () => {
    execFileSync('mkfifo', [world.at('pipe')]);
    const texts = await Promise.all(
      ['src', 'pipe', 'none.txt', '../x', '/etc/passwd'].map(async (path) => read({ path })),
    );
    expect(texts.map(({ text }) => text)).toEqual([
      '"src" is a folder, not a file.',
      '"pipe" is a pipe, a socket or a device, not a file.',
      'There is no "none.txt" in the workspace.',
      expect.stringMatching(/refused.*leads out/),
      expect.stringMatching(/refused.*absolute/),
    ]);
  });

  it.each([{ offset: 0 }, { limit: 0 }, { offset: 1.5 }, { path: '' }])(
    'takes no %j',
    async (input) => {
      await give('a.txt', 'a');
      expect(await read({ path: 'a.txt', ...input })).toMatchObject({ is_error: true });
    },
  );
});
