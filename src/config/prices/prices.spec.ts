import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../load-config.js';
import type { Environment } from '../load-config.js';
import { DEFAULT_PRICES, PRICES_NOTED_ON } from './default-prices.js';
import { Prices } from './prices.js';

const MINI = 'openai/gpt-5-mini';
const pricesOf = (env: Environment): Prices => loadConfig(env).prices;

describe(Prices.name, () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'prices-'));
    path = join(folder, 'prices.json');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const written = (prices: unknown): string => {
    writeFileSync(path, typeof prices === 'string' ? prices : JSON.stringify(prices));
    return path;
  };

  it('are those of MODEL_PRICES, of the file, of the vendor, in this order', () => {
    const [one, other] = [
      { input: 1, output: 1 },
      { input: 2, output: 2 },
    ];
    const prices = pricesOf({
      MODEL_PRICES: JSON.stringify({ 'openai/a': one }),
      PRICES_FILE: written({ 'openai/a': other, [MINI]: other, 'openai/b': other }),
    });
    expect(prices.of('openai/a')).toEqual(one);
    expect(prices.of('openai/b')).toEqual(other);
    expect(prices.of(MINI)).toEqual(other);
    expect(prices.of('openai/gpt-5')).toMatchObject({ input: 1.25 });
    expect(prices.of('openai/unknown')).toBeUndefined();
    expect(prices.of('__proto__')).toBeUndefined();
    expect(prices.names.slice(0, 3)).toEqual(['openai/a', MINI, 'openai/b']);
  });

  it.each([
    [MINI, '-2025-08-07'],
    ['anthropic/claude-sonnet-4-5', '-20250929'],
    ['anthropic/claude-sonnet-4-5', '@20250929'],
    ['openai/gpt-4o-mini', '-latest'],
  ])('cover the versions of %s: %s', (name, version) => {
    const prices = pricesOf({});
    expect(prices.of(`${name}${version}`)).toBeDefined();
    expect(prices.of(`${name}${version}`)).toBe(prices.of(name));
  });

  it('are those of the longest name', () => {
    const prices = pricesOf({});
    expect(prices.of('openai/gpt-4o-2024-05-13')).toMatchObject({ input: 5 });
    expect(prices.of('openai/gpt-4o-2024-08-06')).toMatchObject({ input: 2.5 });
  });

  it.each(['openai/gpt-5-pro', 'openai/gpt-4o-audio-preview', 'anthropic/claude-sonnet-4-50'])(
    'are not taken for another model: %s',
    (name) => expect(pricesOf({}).of(name)).toBeUndefined(),
  );

  it('of a vendor are for its own host only', () => {
    const at = (OPENAI_BASE_URL: string) => pricesOf({ OPENAI_BASE_URL });
    expect(at('https://api.openai.com/v1').of(MINI)).toBeDefined();
    for (const url of ['http://localhost:11434/v1', 'https://api.openai.com.example/v1'])
      expect(at(url).names.filter((name) => name.startsWith('openai/'))).toEqual([]);
    expect(at('https://api.x.ai/v1').of('openai/grok-4-0709')).toMatchObject({ input: 3 });
    expect(at('https://api.x.ai/v1').of(MINI)).toBeUndefined();
    const proxied = pricesOf({ ANTHROPIC_BASE_URL: 'http://gateway:8080' });
    expect(proxied.of('anthropic/claude-sonnet-4-5')).toBeUndefined();
  });

  it('of a vendor are few, make sense, and have a date', () => {
    expect(readFileSync('docs/models.md', 'utf8')).toContain(`noted on ${PRICES_NOTED_ON}`);
    const all = DEFAULT_PRICES.flatMap(({ models }) => Object.values(models));
    expect(all.length).toBeLessThanOrEqual(25);
    for (const { input, cached_input = 0, cache_write = input, output } of all)
      expect([cached_input < input, input <= cache_write, input < output]).toEqual([
        ...[true, true, true],
      ]);
  });

  it.each([
    [{ 'openai/a': { input: 1 } }, /^"openai\/a": "output": .*number/],
    [{ 'openai/b': { input: -1, output: 1 } }, /^"openai\/b": "input": /],
    [{ 'openai/c': { input: 1, output: 1, inptu: 1 } }, /^"openai\/c": .*inptu/],
    [[], /.*record/],
    ['{', /^is not valid JSON$/],
    [' '.repeat(2 ** 20 + 1), /^has more than/],
  ])('are refused by entry: %j', (prices, problem) => {
    const PRICES_FILE = written(prices);
    const faults: unknown = expect.objectContaining({
      faults: [
        {
          variable: 'PRICES_FILE',
          problem: expect.stringMatching(
            new RegExp(`^${path}: ${problem.source.replace('^', '')}`),
          ),
        },
      ],
    });
    expect(() => loadConfig({ PRICES_FILE })).toThrow(faults as Error);
  });

  it.each(['/dev/zero', tmpdir()])('are refused if they are no file: %s', (PRICES_FILE) => {
    expect(() => loadConfig({ PRICES_FILE })).toThrow(/PRICES_FILE: .*is not a regular file/);
  });

  it('are refused if the file is not there', () => {
    expect(() => loadConfig({ PRICES_FILE: path })).toThrow(/PRICES_FILE: .*there is no such file/);
  });
});
