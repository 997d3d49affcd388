import { callResult, resultText } from './result-text.js';

const read = (result: unknown) => resultText(callResult.parse(result));

describe(resultText.name, () => {
  it('reads what it knows, and names the rest', () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' };
    const content = [{ type: 'text', text: 'said' }, { type: 'smell' }, image, null];
    const unknown = '[a part of a kind that is not known]';
    expect(read({ content })).toBe(`said\n${unknown}\n[image, image/png, 3 bytes]\n${unknown}`);
  });

  it('takes what is structured where there is nothing else', () => {
    expect(read({ structuredContent: { a: 1 } })).toBe('{"a":1}');
  });

  it('is done soon with very many parts that are none', () => {
    const content = Array.from({ length: 300_000 }, () => ({ type: 'odd' }));
    const began = performance.now();
    expect(read({ content })).toMatch(/\n\[… and 299000 more parts\]$/);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
