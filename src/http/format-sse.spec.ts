import { formatEvent } from './format-sse.js';

describe(formatEvent.name, () => {
  it('writes id, event and data, and the empty line', () => {
    expect(formatEvent('3~b1.12', 'text_delta', '{"delta":"a"}')).toBe(
      'id: 3~b1.12\nevent: text_delta\ndata: {"delta":"a"}\n\n',
    );
  });

  it('keeps text on one line, whatever is in it', () => {
    const text = 'a\nb\r\nc\u2028d\u0085\0';
    const [, , data, ...rest] = formatEvent('1', 'answer', JSON.stringify({ text })).split(
      /\r\n|\n|\r/,
    );
    expect(rest).toEqual(['', '']);
    expect(JSON.parse(data?.slice('data: '.length) ?? '')).toEqual({ text });
  });

  it('puts laid out JSON on one line', () => {
    const frame = formatEvent(
      '1',
      'x',
      JSON.stringify({ a: [1] }, null, 2).replaceAll('\n', '\r\n'),
    );
    expect(frame.split(/[\r\n]+/)).toHaveLength(4);
    expect(JSON.parse(frame.split('data: ')[1] ?? '')).toEqual({ a: [1] });
  });
});
