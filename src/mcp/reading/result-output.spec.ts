import { expectLinear } from '../../../test/support/growth.js';
import { IMAGES, pngOf } from '../../../test/support/tools/images.js';
import { callResult, resultOutput } from './result-output.js';

const read = (result: unknown) => resultOutput(callResult.parse(result)).text;
const png = (data: string) => ({ type: 'image', mimeType: 'image/x', data });

describe(resultOutput.name, () => {
  it('reads what it knows, and names the rest', () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' };
    const content = [{ type: 'text', text: 'said' }, { type: 'smell' }, image, null];
    const unknown = '[a part of a kind that is not known]';
    expect(read({ content })).toBe(
      `said\n${unknown}\n[image, image/png, 3 bytes: unsupported format]\n${unknown}`,
    );
  });

  it('shows images, whatever the server says that they are', () => {
    const content = [{ type: 'text', text: 'See:' }, png(IMAGES.jpeg), png(IMAGES.png)];
    const { text, journal } = resultOutput(callResult.parse({ content }));
    expect(text).toBe(
      'See:\n[image, image/jpeg, 3×2, 632 bytes]\n[image, image/png, 3×2, 73 bytes]',
    );
    expect(journal?.images).toEqual([
      { media_type: 'image/jpeg', data: IMAGES.jpeg },
      { media_type: 'image/png', data: IMAGES.png },
    ]);
  });

  it.each([
    ['data:image/png;base64,'],
    ['DATA:image/png;charset=utf-8;Base64,'],
    ['data:;base64,'],
  ])('reads an image that begins with %s', (prefix) => {
    const { text, journal } = resultOutput(
      callResult.parse({ content: [png(prefix + IMAGES.png)] }),
    );
    expect(text).toBe('[image, image/png, 3×2, 73 bytes]');
    expect(journal?.images).toEqual([{ media_type: 'image/png', data: IMAGES.png }]);
  });

  it('tells the size of what a data URL has', () => {
    const audio = { type: 'audio', mimeType: 'audio/wav', data: 'data:audio/wav;base64,AAAA' };
    const file = { uri: 'file:///a', blob: 'data:application/pdf;base64,AAAA' };
    expect(read({ content: [audio, { type: 'resource', resource: file }] })).toBe(
      '[audio, audio/wav, 3 bytes]\n[resource file:///a, binary, 3 bytes]',
    );
  });

  it('shows four images of a result, and none that is too large or broken', () => {
    const large = png(pngOf(1024 * 1024 + 1).toString('base64'));
    const broken = png(IMAGES.png.slice(0, 40));
    const content = [large, broken, ...Array.from({ length: 5 }, () => png(IMAGES.png))];
    const { text, journal } = resultOutput(callResult.parse({ content }));
    expect(journal?.images).toHaveLength(4);
    const lines = text.split('\n');
    expect(lines[0]).toMatch(/1048577 bytes: not shown, the limit is 1048576 bytes/);
    expect(lines[1]).toMatch(/damaged or not complete/);
    expect(lines.at(-1)).toMatch(/not shown: 4 of a result are/);
  });

  it('shows what a terminal would show of a text', () => {
    const text = '\u001b[1mbuilding\u001b[0m\n 10%\r100%\r\ndone';
    expect(read({ content: [{ type: 'text', text }] })).toBe('building\n100%\r\ndone');
  });

  it('takes what is structured where there is nothing else', () => {
    expect(read({ structuredContent: { a: 1 } })).toBe('{"a":1}');
  });

  it.each([
    ['Hello.', { answer: 'Hello.', chat_id: 'chat_1' }, 'Hello.\n{"chat_id":"chat_1"}'],
    ['{ "b": 2, "a": 1 }', { a: 1, b: 2 }, '{ "b": 2, "a": 1 }'],
    ['{ "a": 1', { a: 1 }, '{ "a": 1\n{"a":1}'],
    ['Hello.', { answer: 'Hello.' }, 'Hello.'],
    ['Hello.', 'Hello.', 'Hello.'],
  ])('adds to %j what only %j has', (text, structuredContent, expected) => {
    expect(read({ content: [{ type: 'text', text }], structuredContent })).toBe(expected);
  });

  it('takes linear time for very many parts that are none', async () => {
    await expectLinear((size) => {
      const content = Array.from({ length: size }, () => ({ type: 'odd' }));
      const rest = `\n[… and ${size - 1_000} more parts]`;
      return () => expect(read({ content }).endsWith(rest)).toBe(true);
    }, 80_000);
  });
});
