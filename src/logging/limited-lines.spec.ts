import { MovableClock } from '../../test/support/movable-clock.js';
import { LimitedLines } from './limited-lines.js';

function setUp() {
  const clock = new MovableClock();
  const written: (readonly [line: string, left_out: number])[] = [];
  const lines = new LimitedLines<string>(clock, (line, left_out) => written.push([line, left_out]));
  return { clock, lines, written };
}

describe(LimitedLines.name, () => {
  it('writes the first at once, and then the last of each minute with a count', () => {
    const { clock, lines, written } = setUp();
    for (let i = 1; i <= 10_000; i++) lines.add('a', `a${i}`);
    lines.add('b', 'b1');
    expect(written.splice(0)).toEqual([
      ['a1', 0],
      ['b1', 0],
    ]);
    clock.pass(60_000);
    expect(written.splice(0)).toEqual([['a10000', 9_998]]);
    lines.add('a', 'again');
    lines.add('b', 'b2');
    expect(written.splice(0)).toEqual([['b2', 0]]);
    clock.pass(60_000);
    expect(written.splice(0)).toEqual([['again', 0]]);
    clock.pass(600_000);
    expect(written).toEqual([]);
    lines.add('a', 'later');
    expect(written).toEqual([['later', 0]]);
  });

  it('knows a hundred keys at a time', () => {
    const { lines, written } = setUp();
    for (let i = 0; i < 1000; i++) lines.add(`key ${i}`, `line ${i}`);
    expect(written).toHaveLength(101);
  });

  it('writes at its end what it has left out', () => {
    const { clock, lines, written } = setUp();
    for (const line of ['1', '2', '3']) lines.add('a', line);
    lines.flush();
    clock.pass(600_000);
    expect(written).toEqual([
      ['1', 0],
      ['3', 1],
    ]);
  });
});
