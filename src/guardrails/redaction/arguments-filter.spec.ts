import { atOnce } from '../../kernel/async/sliced.js';
import type { Sliced } from '../../kernel/async/sliced.js';
import { redactJsonText } from './arguments-filter.js';

function* redact(text: string): Sliced<string> {
  yield;
  return text.replaceAll('secret', '[redacted]');
}

describe(redactJsonText.name, () => {
  it.each([
    ['{"a": "x", "b": [1.0, "y\\n"]}', '{"a": "x", "b": [1.0, "y\\n"]}'],
    ['{"a":"s\\u0065cret"}', '{"a":"[redacted]"}'],
    ['{"a":"s\\u0065cret","a":"x"}', '{"a":"[redacted]","a":"x"}'],
    ['{"a":{"s\\u0065cret":1},"a":{}}', '{"a":{"[redacted]":1},"a":{}}'],
    ['{"a": "cut s\\u0065cret', '{"a": "cut [redacted]"'],
    ['{"a": "s\\u0065cret\\', '{"a": "[redacted]"\\'],
    ['not \\q "JSON\\q" secret', 'not \\q "JSON\\q" [redacted]'],
  ])('redacts the strings of %s', (text, expected) => {
    expect(atOnce(redactJsonText(text, redact))).toBe(expected);
  });

  it('takes time that grows with the text only', () => {
    const long = `{"a":"${'\\u0061"\\\\'.repeat(300_000)}`;
    expect(atOnce(redactJsonText(long, redact))).toHaveLength(long.length);
  });
});
