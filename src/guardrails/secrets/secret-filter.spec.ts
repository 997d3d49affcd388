import fc from 'fast-check';
import { KEY_PATTERNS } from './key-patterns.js';
import { SecretBook } from './secret-book.js';
import { SecretFilter } from './secret-filter.js';
import { expectLinear } from '../../../test/support/growth.js';
import { runs } from '../../../test/support/thoroughness.js';

const OWN = [
  { name: 'OWN', value: 'hunter2!-\ud83e\udd9c-hunter2!-x' },
  { name: 'LONGER', value: 'hunter2!-\ud83e\udd9c-hunter2!-x-and-more' },
  { name: 'KEY_LIKE', value: 'sk-proj-abcdefghijklmnopqrstuvwx!tail' },
];
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEpAIBAAKCAQEA'.repeat(4)}\n${'x/+9'.repeat(9)}==\n-----END RSA PRIVATE KEY-----`;
const KEYS = [
  'sk-ant-api03-abcdefghijklmnopqrstuvwxyz',
  'sk-proj-ABCDEFGHIJKLMNOPQRSTUVWX',
  'sk-abcdefghijklmnopqrstuvwxyz0123456789',
  'AKIAIOSFODNN7EXAMPLE',
  'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  `ghp_${'a1B2'.repeat(9)}`,
  `github_pat_${'a1B2_'.repeat(9)}`,
  'xoxb-123456789012-abcdefghijkl',
  `AIza${'a1B2-'.repeat(7)}`,
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P',
  PEM,
  JSON.stringify(PEM).slice(1, -1),
];
const book = new SecretBook(OWN, KEY_PATTERNS);

function redact(...pieces: string[]): string {
  const filter = new SecretFilter(book);
  return pieces.map((piece) => filter.push(piece)).join('') + filter.end();
}

describe(SecretFilter.name, () => {
  it.each(KEYS)('redacts %j and nothing beside it', (key) => {
    expect(redact(`It is "${key}", no?`)).toMatch(/^It is "\[redacted: [\w ]+\]", no\?$/);
    expect(redact(`${key}\nThat's it.`)).toMatch(/^\[redacted: [\w ]+\]\n?That's it\.$/);
    expect(redact(`In JSON: \\n${key}`)).toMatch(/^In JSON: \\n\[redacted: [\w ]+\]$/);
  });

  it.each([
    'a task-force of desk-abcdefghijklmnopqrstuvwxyz is no key',
    'class="sk-folding-cube-wrapper-for-the-page"',
    'AKIA, sk-, ghp_ and eyJ are how keys begin',
    'A PEM file begins with -----BEGIN RSA PRIVATE KEY----- and then come some lines of letters.',
    'hunter2!-\ud83e',
    'XAKIAIOSFODNN7EXAMPLE',
    'https://example.com/eyJhbGciOiJIUzI1NiJ9.html',
  ])('leaves %j alone', (text) => {
    expect(redact(text)).toBe(text);
    expect(redact(...text.split(''))).toBe(text);
  });

  it('makes one of secrets that overlap, so that no end of one is left', () => {
    expect(redact(`(${OWN[2]!.value})`)).toBe('([redacted: KEY_LIKE])');
    expect(redact(`sk-proj-abcdefghijklmnopqrstuvwx${OWN[0]!.value}.`)).toBe(
      '[redacted: OpenAI key].',
    );
    expect(redact(OWN[1]!.value, '?')).toBe('[redacted: LONGER]?');
    expect(redact(OWN[0]!.value, '-and-less')).toBe('[redacted: OWN]-and-less');
  });

  it('passes on at once what can be no secret, and all but a bounded rest of what may be one', () => {
    const filter = new SecretFilter(book);
    expect(filter.push('Hello, hunter')).toBe('Hello, ');
    expect(filter.push('s, sk-proj-')).toBe('hunters, ');
    expect(filter.push('a'.repeat(20))).toBe('[redacted: OpenAI key]');
    expect(filter.push('a'.repeat(10_000))).toBe('');
    expect(filter.push('. Bye')).toBe('. Bye');
    expect(filter.remark).toBe('Secrets were redacted: OpenAI key.');
  });

  it('says the same wherever the text is cut, and never shows any of a secret before it is all there', () => {
    const part = fc.oneof(
      fc.constantFrom(...KEYS, ...OWN.map(({ value }) => value)),
      fc
        .constantFrom(...KEYS, ...OWN.map(({ value }) => value))
        .chain((secret) =>
          fc.integer({ min: 0, max: secret.length }).map((end) => secret.slice(0, end)),
        ),
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.constantFrom(' ', '.', '-', 'n', '\\n', '\ud83e', 'sk-', 'ey', 'A'),
    );
    const texts = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
    const cuts = fc.array(fc.nat(), { maxLength: 40 });
    fc.assert(
      fc.property(texts, cuts, (text, at) => {
        const whole = redact(text);
        for (const { value } of OWN) expect(whole).not.toContain(value);
        const places = [...new Set(at.map((n) => n % (text.length + 1)))].toSorted((a, b) => a - b);
        const pieces = [0, ...places].map((from, i) => text.slice(from, places[i]));
        const filter = new SecretFilter(book);
        let shown = '';
        for (const piece of pieces) {
          shown += filter.push(piece);
          expect(whole.startsWith(shown)).toBe(true);
        }
        expect(shown + filter.end()).toBe(whole);
      }),
      { numRuns: runs(3000) },
    );
  });

  it.each(['sk-', '-----BEGIN ', 'eyJ', `eyJ${'a'.repeat(399)}`, 'hunter2!-', 'AKIA'])(
    'takes time in proportion to the text, whatever that is (%#)',
    async (unit) => {
      await expectLinear((size) => {
        const pieces = unit.repeat(size / unit.length).match(/[^]{1,4}/g) ?? [];
        return () => redact(...pieces);
      }, 100_000);
    },
  );
});
