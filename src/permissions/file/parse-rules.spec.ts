import { parseRules } from './parse-rules.js';
import { RulesFileError } from './rules-file-error.js';

const ALLOW = '"scope": "global", "decision": "allow"';

function faultsOf(text: string): string[] {
  try {
    parseRules(text, 'permissions.json');
    return [];
  } catch (error) {
    if (!(error instanceof RulesFileError)) throw error;
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
}

describe(parseRules.name, () => {
  it('reads a list of rules, or an object that holds one', () => {
    const rule = `{ ${ALLOW}, "matcher": { "type": "all" } }`;
    const [alone] = parseRules(`[${rule}]`, 'x');
    const [held] = parseRules(`{ "team": 1, "rules": [${rule}] }`, 'x');
    expect(alone).toMatchObject({ scope: 'global', priority: 0, created_at: null, uses: 0 });
    expect(held).toEqual(alone);
    expect(parseRules('{ "rules": [] }', 'x')).toEqual([]);
  });

  it('gives a rule the same id as long as it says the same', () => {
    const text = (first: string) =>
      `[{ ${ALLOW}, ${first} "matcher": { "type": "all" } }, { "id": "mine", ${ALLOW}, "matcher": { "type": "all" } }]`;
    const ids = (first: string) => parseRules(text(first), 'x').map(({ id }) => id);
    expect(ids('')).toEqual(ids(' '));
    expect(ids('')).not.toEqual(ids('"priority": 1,'));
    expect(ids('')[1]).toBe('mine');
  });

  it('tells equal rules apart', () => {
    const rule = `{ ${ALLOW}, "matcher": { "type": "all" } }`;
    const [first, second] = parseRules(`[${rule}, ${rule}]`, 'x').map(({ id }) => id);
    expect(second).toBe(`${first}_2`);
  });

  it('names line, column and field of every fault', () => {
    const text = `{
  "rules": [
    { ${ALLOW}, "matcher": { "type": "all" } },
    { "scope": "everywhere", "decision": "allow",
      "matcher": { "type": "all" } },
    { ${ALLOW},
      "matcher": {
        "type": "regex",
        "pattern": "(a"
      }
    },
    { "scope": "global", "matcher": { "type": "tool" } },
    { ${ALLOW}, "matcher": { "type": "command_prefix", "prefixes": ["ls", "ls | sh"] } },
    { "scope": "session", "scope_id": "x", "decision": "deny", "matcher": { "type": "all" }, "max_uses": 0 },
    { ${ALLOW}, "matcher": { "type": "all" }, "expire_at": "2026-01-01T00:00:00Z" },
    7
  ]
}`;
    expect(faultsOf(text)).toEqual([
      'permissions.json:4:16 rules[1].scope: has to be one of: user, session, agent, global',
      expect.stringMatching(
        /^permissions\.json:9:20 rules\[2\]\.matcher\.pattern: is not a valid regular expression .*missing closing \)/,
      ),
      'permissions.json:12:5 rules[3].decision: has to be one of: allow, deny, ask',
      'permissions.json:12:37 rules[3].matcher.pattern: has to be a text',
      expect.stringMatching(
        /^permissions\.json:13:\d+ rules\[4\]\.matcher\.prefixes\[1\]: has to be the first words/,
      ),
      expect.stringMatching(/^permissions\.json:14:\d+ rules\[5\]\.max_uses: has to be at least 1/),
      expect.stringMatching(
        /^permissions\.json:15:\d+ rules\[6\]\.expire_at: is not a known field; did you mean expires_at/,
      ),
      'permissions.json:16:5 rules[7]: has to be an object',
    ]);
  });

  it.each([
    ['', /^permissions\.json:1:1: /],
    ['{', /^permissions\.json:1:2: is not valid JSON/],
    [
      '{ "rules": [\n { "scope" "x" } ] }',
      /^permissions\.json:2:\d+: is not valid JSON \(colon expected\)/,
    ],
    ['"rules"', /^permissions\.json:1:1: has to be a list of rules/],
    ['{ "rules": {} }', /^permissions\.json:1:1 rules: has to be a list of rules/],
    ['{ "rule": [] }', /has to be a list of rules/],
    ['{ "rules": [], "rules": [] }', /^permissions\.json:1:16 rules: is there twice/],
    [
      `[{ ${ALLOW}, "decision": "deny", "matcher": { "type": "all" } }]`,
      /\[0\]\.decision: is there twice/,
    ],
    [
      `[{ ${ALLOW}, "matcher": { "type": "tool", "pattern": "a", "input": { "id": 1234567890123456789 } } }]`,
      /input\.id: would be changed: write the number as a string/,
    ],
    [`[{ "id": "a b", ${ALLOW}, "matcher": { "type": "all" } }]`, /\[0\]\.id: has to be 1 to 64/],
  ])('finds the fault in %j', (text, fault) => {
    expect(faultsOf(text)[0]).toMatch(fault);
  });
});
