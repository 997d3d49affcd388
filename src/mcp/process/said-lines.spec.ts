import { SaidLines } from './said-lines.js';

function linesOf(...chunks: readonly (string | Buffer)[]): string[] {
  const lines: string[] = [];
  const said = new SaidLines((line) => lines.push(line));
  for (const chunk of chunks) said.push(Buffer.from(chunk));
  said.end();
  return lines;
}

describe(SaidLines.name, () => {
  it('joins what comes in parts', () => {
    expect(linesOf('ready, key se', 'cret\r\n\nand', ' on')).toEqual([
      'ready, key secret',
      'and on',
    ]);
    const euro = Buffer.from('€');
    expect(linesOf(euro.subarray(0, 1), euro.subarray(1))).toEqual(['€']);
  });

  it('cuts a line that is too long before the word at the limit', () => {
    const long = `${'x'.repeat(1_990)} secret-that-is-long`;
    const cut = `${'x'.repeat(1_990)} …`;
    expect(linesOf(`${long}\nnext`)).toEqual([cut, 'next']);
    expect(linesOf(long, ' more', ` ${long}`, '\nnext\n')).toEqual([cut, 'next']);
  });
});
