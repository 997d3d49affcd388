import { retryAfter } from './error-translator.js';

const NOW = Date.parse('2026-01-15T10:00:00Z');

describe(retryAfter.name, () => {
  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '-3' }, 0],
    [{ 'retry-after': 'Thu, 15 Jan 2026 10:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Thu, 15 Jan 2026 09:00:00 GMT' }, 0],
    [{ 'retry-after': '7', 'retry-after-ms': '250' }, 250],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{}, undefined],
  ])('reads %j as %s ms', (headers, expected) => {
    expect(retryAfter(new Headers(headers as Record<string, string>), NOW)).toBe(expected);
  });
});
