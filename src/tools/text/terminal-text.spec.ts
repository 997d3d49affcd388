import { expectLinear } from '../../../test/support/growth.js';
import { TerminalText, terminalText } from './terminal-text.js';

const ESC = '\u001b';

describe(TerminalText.name, () => {
  it.each([
    ['plain text\nof two lines', 'plain text\nof two lines'],
    ['line ends\r\nof Windows\r\n', 'line ends\r\nof Windows\r\n'],
    [`${ESC}[1;31mred${ESC}[0m and ${ESC}[38;5;200mpink${ESC}[m`, 'red and pink'],
    [
      `${ESC}]0;title\u0007text ${ESC}]8;;https://a.test${ESC}\\link${ESC}]8;;${ESC}\\`,
      'text link',
    ],
    [`${ESC}(B${ESC}=${ESC}7${ESC}Pq#0${ESC}\\text\u009b0m`, 'text'],
    ['10%\r 50%\r100%\ndone', '100%\ndone'],
    ['long line\rlong', 'long line'],
    [`long line\r${ESC}[Kshort`, 'short'],
    ['\rone\r', 'one'],
    ['ab\b\bc', 'cb'],
    ['bell\u0007', 'bell'],
    [`a: 0%\nb: 0%\n${ESC}[2Aa: 100%\n${ESC}[1Bend`, 'a: 100%\nb: 0%\nend'],
    [`one\ntwo\n${ESC}[1A${ESC}[2Ktwo again\n`, 'one\ntwo again\n'],
    [`old\n${ESC}[2J${ESC}[Hnew`, 'new'],
    [`spin\n${ESC}[1F${ESC}[Jdone`, 'done'],
    [`a${ESC}[3Cb${ESC}[1Gc`, 'c   b'],
    [`abc${ESC}[2D${ESC}[1Kx`, ' xc'],
    [`cut ${ESC}[31`, 'cut [31'],
    ['cut\r', 'cut'],
    ['Ünïcode 日本 🎉\rx', 'xnïcode 日本 🎉'],
  ])('shows %j as %j', (output, shown) => {
    expect(terminalText(output)).toBe(shown);
    const terminal = new TerminalText();
    const parts = Array.from({ length: output.length }, (_, at) => terminal.push(output[at]!));
    expect(parts.join('') + terminal.end()).toBe(shown);
  });

  it('releases what can not change any more', () => {
    const terminal = new TerminalText();
    const lines = Array.from({ length: 1_000 }, (_, at) => `line ${at}\n`);
    const released = lines.map((line) => terminal.push(line)).join('');
    expect(released.length).toBeGreaterThan(5_000);
    expect(released + terminal.end()).toBe(lines.join(''));
  });

  it('keeps text after a sequence that never ends', () => {
    const text = `${ESC}]0;${'x'.repeat(2_000)}`;
    expect(terminalText(text)).toBe(text.slice(1));
  });

  it.each([
    ['redrawn rows', '100%\r'],
    ['backspaces', 'a\b'],
    ['long rows that are redrawn', `${'x'.repeat(100)}\b`],
    ['columns far away', `${ESC}[9999C`],
    ['beginnings of sequences', `${ESC}]`],
    ['erased rows', `x\n${ESC}[1A${ESC}[J`],
    ['rows', 'x\n'],
  ])('takes linear time for many %s', async (_, piece) => {
    await expectLinear((size) => {
      const output = piece.repeat(size / piece.length);
      return () => void terminalText(output);
    }, 200_000);
  });
});
