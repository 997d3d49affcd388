import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load-config.js';
import { PatternsGuardrail } from '../../src/guardrails/redaction/patterns.guardrail.js';
import { Redaction } from '../../src/guardrails/redaction/redaction.js';
import { describeGuardrail } from '../contracts/guardrail.contract.js';

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-redact-'));
  file = join(folder, 'patterns.json');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function open(content: unknown, env: Record<string, string> = {}): Promise<Redaction> {
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return new Redaction(loadConfig({ ...env, REDACT_PATTERNS: file }));
}

const canary = { name: 'canary', pattern: 'CANARY-[0-9]+' };
const KEY = 'AKIAIOSFODNN7EXAMPLE';

describe(PatternsGuardrail.name, () => {
  let redaction: Redaction;
  beforeAll(async () => {
    redaction = await open([canary]);
  });
  describeGuardrail(() => new PatternsGuardrail(redaction), ['CANARY-1', 'CANARY-', '"', '\\u']);

  it('is off without patterns', () => {
    expect(new PatternsGuardrail(new Redaction(loadConfig({}))).enabled).toBe(false);
  });

  it('counts the matches in all texts of a turn together', () => {
    const turn = new PatternsGuardrail(redaction).openOutput();
    const filters = [turn('text')!, turn('thinking')!];
    for (const filter of filters) expect(filter.push('CANARY-1') + filter.end()).not.toMatch(/-1/);
    const remark = 'Text was redacted: canary (2×).';
    expect(filters.map((filter) => filter.remark)).toEqual([remark, remark]);
  });

  it.each([
    ['{"a": 1, "b": ["x"]}', '{"a": 1, "b": ["x"]}'],
    ['{"a":"CANARY\\u002d1"}', '{"a":"[redacted: canary]"}'],
    ['{"CANARY-1":{"b":["CANARY-22"]}}', '{"[redacted: canary]":{"b":["[redacted: canary]"]}}'],
    ['{"a": CANARY-1', '{"a": [redacted: canary]'],
    ['"CANARY-1"', '"[redacted: canary]"'],
  ])('reads the arguments %s as their tool would', (text, shown) => {
    const filter = new PatternsGuardrail(redaction).openOutput()('tool_input')!;
    expect(text.split('').map((char) => filter.push(char))).not.toContain(text);
    expect(filter.end()).toBe(shown);
  });
});

describe(Redaction.name, () => {
  it('redacts the named fields, and counts', async () => {
    const redaction = await open([
      canary,
      { ...canary, name: 'more', pattern: 'x+y', replacement: '' },
    ]);
    const given = { a: 'CANARY-1 CANARY-2', b: 'CANARY-3', c: null, d: 'xxy' };
    expect(await redaction.of(given, 'a', 'c', 'd')).toEqual({
      ...{ a: '[redacted: canary] [redacted: canary]', b: 'CANARY-3', c: null, d: '' },
      redacted: { canary: 2, more: 1 },
    });
    const clean = { a: 'nothing' };
    expect(await redaction.of(clean, 'a')).toBe(clean);
  });

  it('knows secrets only with GUARDRAIL_SECRETS_INPUT, as GUARDRAIL_SECRETS selects them', async () => {
    const text = `${KEY} a-token-of-mine`;
    const env = { MY_TOKEN: 'a-token-of-mine' };
    const read = async (more: object) =>
      (await (await open([], { ...env, ...more })).of({ text }, 'text')).text;
    expect(await read({})).toBe(text);
    const on = { GUARDRAIL_SECRETS_INPUT: 'true' };
    expect(await read(on)).toBe('[redacted: AWS key] [redacted: MY_TOKEN of the server]');
    expect(await read({ ...on, GUARDRAIL_SECRETS: 'own' })).toBe(
      `${KEY} [redacted: MY_TOKEN of the server]`,
    );
    expect(() => loadConfig({ ...on, GUARDRAIL_SECRETS: 'none' })).toThrow(
      /GUARDRAIL_SECRETS_INPUT: GUARDRAIL_SECRETS=none leaves no secrets/,
    );
  });

  it('refuses what has to stay as it is, by the names of what it found', async () => {
    const redaction = await open([canary]);
    await redaction.requireNothingIn({ a: ['b'] }, 'modified_input');
    const checked = (value: Record<string, unknown>) =>
      redaction.requireNothingIn(value, 'modified_input');
    await expect(checked({ a: [{ b: 'CANARY-1' }] })).rejects.toThrow(
      /^modified_input has text .*\(canary\)/,
    );
    await expect(checked({ 'CANARY-1': 1 })).rejects.toThrow(/canary/);
  });

  it('redacts the texts of a line of a session log, and drops the vendor data of a changed message', async () => {
    const redaction = await open([{ name: 'id', pattern: '[a-z]+_1' }]);
    const message = (content: string) => ({
      ...{ role: 'assistant', content, provider_data: { signature: 'int_1' } },
      tool_calls: [{ id: 'call_1', function: { name: 'x', arguments: '{"a":"b"}' } }],
    });
    const line = (content: string) => ({
      ...{ type: 'record', interaction_id: 'int_1', at: 'at_1' },
      body: { type: 'TURN_COMPLETED', model: 'm_1' },
      hidden: { message: message(content) },
    });
    expect(await redaction.ofLine(line('no match'))).toEqual(line('no match'));
    const redacted = await redaction.ofLine({ ...line('a_1'), redacted: { forged: 1 } });
    const { provider_data: _, ...rest } = message('[redacted: id]');
    expect(redacted).toEqual({
      ...{ ...line(''), hidden: { message: rest } },
      redacted: { id: 1 },
    });
  });

  it.each([
    ['not JSON', /: is not valid JSON$/],
    [{ patterns: [] }, /: has to be a list/],
    [Array.from({ length: 51 }, () => canary), /has 51 patterns, at most 50/],
    [[canary, 'x'], /\[1\]: has to be an object/],
    [[{ ...canary, flags: 'i' }], /\[0\]\.flags: is not one of name, pattern, replacement/],
    [[{ pattern: 'x' }], /\[0\]\.name: has to be 1 to 64/],
    [[{ name: 'a]b', pattern: 'x' }], /\[0\]\.name/],
    [[{ name: 'x' }], /\[0\]\.pattern: has to be a text/],
    [[{ name: 'x', pattern: 'x'.repeat(1001) }], /\[0\]\.pattern: has to be a text/],
    [
      [canary, { name: 'x', pattern: '(a' }],
      /\[1\]\.pattern: is not a valid RE2 .*missing closing/,
    ],
    [[{ name: 'x', pattern: '(?=a)b' }], /\[0\]\.pattern: is not a valid RE2/],
    [[{ name: 'x', pattern: '(a)\\1' }], /\[0\]\.pattern: is not a valid RE2/],
    [[{ name: 'x', pattern: 'a*' }], /\[0\]\.pattern: matches the empty string/],
    [[{ name: 'x', pattern: '\\b' }], /\[0\]\.pattern: matches the empty string/],
    [[{ ...canary, replacement: 1 }], /\[0\]\.replacement: has to be a text/],
    [[{ ...canary, replacement: 'x'.repeat(201) }], /\[0\]\.replacement/],
    [[canary, canary], /: two patterns are called "canary"/],
    [
      Array.from({ length: 50 }, (_, i) => ({ name: `n${i}`, pattern: 'a{100}' })),
      /too large together/,
    ],
  ])('names the variable and the entry of a fault: #%#', async (content, fault) => {
    await expect(open(content)).rejects.toThrow(fault);
    await expect(open(content)).rejects.toThrow(/^Invalid configuration:\n  REDACT_PATTERNS: \//);
  });

  it('names a file that is not there', () => {
    const open = () => new Redaction(loadConfig({ REDACT_PATTERNS: '/nowhere/x.json' }));
    expect(open).toThrow('REDACT_PATTERNS: /nowhere/x.json: there is no such file');
  });
});
