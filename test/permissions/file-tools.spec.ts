import { judge, READ, rule, WRITE } from './fixtures.js';
import type { Decision } from '../../src/protocol/wire/rule.js';

const TOOLS = [
  { tool_name: 'read', policy: READ, rest: {} },
  { tool_name: 'write', policy: WRITE, rest: { content: 'x' } },
  { tool_name: 'edit', policy: WRITE, rest: { old_string: 'a', new_string: 'b' } },
];

const DENYING = [
  rule('deny', { type: 'path', pattern: '.env' }),
  rule('deny', { type: 'path', pattern: 'secrets/**' }),
  rule('deny', { type: 'path', pattern: 'private/sch\u00fcssel*' }),
  rule('deny', { type: 'path', pattern: 'decomposed/e\u0301' }),
  rule('allow', { type: 'all' }),
];
const ALLOWING = [rule('allow', { type: 'path', pattern: 'src/**' })];

describe.each(TOOLS)('Rules about the path of $tool_name', ({ rest, ...call }) => {
  const decide = (rules: typeof DENYING, path: string): Decision =>
    judge(rules, { ...call, tool_input: { path, ...rest } }).decision;

  it.each([
    ...[
      '.env',
      './.env',
      './/.env',
      '.env/',
      '.ENV',
      '.eNv',
      'a/../.env',
      '/home/me/.env',
      '~/.env',
    ],
    ...['.\\.env', 'C:\\work\\.env', 'file:///work/.env'],
    ...['secrets/key', 'SECRETS/Key', 'secrets//a/./b', 'secrets', './secrets/', 'x/../secrets/a'],
    ...['\u017fecrets/key', 'secrets/.hidden', 'secrets/\u202ekey', '/work/secrets/a'],
    ...['private/schüssel.pem', 'private/schu\u0308ssel.pem', 'PRIVATE/SCHÜSSEL'],
    ...['decomposed/\u00e9', 'decomposed/e\u0301', 'decomposed/\u00c9'],
  ])('deny what is denied, however it is spelled: %j', (path) => {
    expect(decide(DENYING, path)).toBe('deny');
  });

  it.each(['.env.example', 'env', 'src/.env.ts', 'secrets.md', 'src/secret', 'private/key'])(
    'leave others alone: %j',
    (path) => {
      expect(decide(DENYING, path)).toBe('allow');
    },
  );

  it.each([
    ['src/a.ts', true],
    ['./src//b/c.ts', true],
    ['SRC/a.ts', false],
    ['src/../.env', false],
    ['/work/src/a.ts', false],
    ['src\\..\\.env', false],
    ['src', false],
    ['srcs/a.ts', false],
    ['~/src/a.ts', false],
  ])('allow what stays below the folder that is allowed: %j: %p', (path, isAllowed) => {
    const otherwise = call.policy === READ ? 'allow' : 'ask';
    const { decision, rule: decided } = judge(ALLOWING, { ...call, tool_input: { path, ...rest } });
    expect([decision, decided !== null]).toEqual([isAllowed ? 'allow' : otherwise, isAllowed]);
  });
});
