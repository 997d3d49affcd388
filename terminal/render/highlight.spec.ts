import { jest } from '@jest/globals';
import api from 'highlight.js/lib/core';
import { highlight, loadHighlighter } from './highlight.js';

describe('highlight', () => {
  beforeAll(loadHighlighter);
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const linesOf = (code: string) =>
    highlight(code, 'java').map((line) => line.map(({ text }) => text).join(''));

  it.each([
    ['', 1],
    ['int a = 1;\n\n/* b */', 1],
    ['int a = 1;\n'.repeat(1_000), 6],
    ['\n'.repeat(4_000), 2],
    [`${'a'.repeat(500)}\n`.repeat(8), 3],
    [`int a;\n${'$'.repeat(501)}\nint b;\nint c;`, 2],
    [`${'$'.repeat(20_000)}\n\n`, 1],
    ['$'.repeat(20_000), 0],
  ])('gives the highlighter 2,000 characters at most, and no long line (%#)', (code, calls) => {
    const colours = jest.spyOn(api, 'highlight');
    expect(linesOf(code)).toEqual(code.split('\n'));
    const sent = colours.mock.calls.map(([slice]) => slice);
    expect(sent).toHaveLength(calls);
    for (const slice of sent) {
      expect(slice.length).toBeLessThanOrEqual(2_000);
      expect(slice).not.toMatch(/.{501}/);
    }
  });
});
