import { LineTooLong } from '../errors/answer-errors.js';
import { SseDecoder } from './answer-body.js';

function decode(chunks: readonly Buffer[], maxChars = 1_000): string[] {
  const events: string[] = [];
  const decoder = new SseDecoder(
    { event: (data, event) => events.push(event ? `${event}: ${data}` : data) },
    maxChars,
  );
  for (const chunk of chunks) decoder.push(chunk);
  decoder.end();
  return events;
}

const bytes = (text: string): Buffer => Buffer.from(text);

describe(SseDecoder.name, () => {
  const text =
    ': hello\ndata: {"a":"né 👍🏽"}\n\nevent: error\r\ndata:one\r\ndata: two\r\n\r\nretry: 5\n\nid: 7\ndata: last';
  const events = ['{"a":"né 👍🏽"}', 'error: one\ntwo', 'last'];

  it('reads LF and CRLF, comments, names, and data of several lines', () => {
    expect(decode([bytes(text)])).toEqual(events);
  });

  it('reads the same, wherever the bytes are cut', () => {
    const whole = bytes(text);
    for (let cut = 1; cut < whole.length; cut++) {
      expect(decode([whole.subarray(0, cut), whole.subarray(cut)])).toEqual(events);
    }
    expect(decode([...whole].map((byte) => Buffer.from([byte])))).toEqual(events);
  });

  it('skips a byte order mark', () => {
    expect(decode([bytes('\ufeffdata: 1\n\n')])).toEqual(['1']);
  });

  it('refuses a line that is longer than the bound', () => {
    const part = bytes('x'.repeat(60));
    expect(() => decode([bytes('data: '), part, part], 100)).toThrow(LineTooLong);
  });

  it('refuses an event whose lines are together longer than the bound', () => {
    const line = bytes(`data: ${'x'.repeat(60)}\n`);
    expect(() => decode([line, line], 100)).toThrow(LineTooLong);
  });
});
