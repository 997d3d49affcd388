import { PermissionPolicy } from '../../src/permissions/policy/permission-policy.js';
import { judgeCommand, prefix, rule } from './fixtures.js';

/** The maximum length of a script that is parsed. */
const LENGTH = 10_000;
const RULES = [
  prefix('deny', 'rm -rf'),
  rule('deny', { type: 'path', pattern: '**/.env' }),
  rule('deny', { type: 'regex', pattern: 'curl.*sh' }),
  prefix('allow', 'git log', 'ls'),
  rule('allow', { type: 'all' }),
];

/** What parsers take long for, when it is repeated. */
const REPEATED = [
  ...[
    '{a,',
    'ls {a,',
    '{a..',
    '(',
    '((',
    '((a ',
    ')',
    '))',
    '$(',
    '$((',
    '$[',
    '${x',
    '${x#',
    '${x:-',
  ],
  ...['[[ ', '[[ a =~ ', '[ -f ', '`', '`a ', '"', '"$(', '"${a', "$'", "'a' ", '\\\n', 'a \\\n'],
  ...['a|', 'a | ', 'a||', 'a&&', 'a;', 'a&', 'a ', 'a=', 'a=(', 'a[', 'a[$', '@(', '*', '~', '!'],
  ...[
    '<<E\n',
    "a <<'E' ",
    'a <<E ',
    '<<<',
    '<(',
    '>',
    '>&',
    '2>&1 ',
    '{b}>',
    'f() ',
    'f(){ ',
    '{ ',
  ],
  ...[
    'if ',
    'for i in ',
    'case x in ',
    'case a in (',
    'select x in ',
    'while ',
    'do ',
    'esac ',
    '#',
    '# x\n',
  ],
  ...[
    'bash -c ',
    'sh -c "',
    "ssh '",
    'xargs ',
    'env ',
    'timeout 1 ',
    'find . -exec ',
    'eval ',
    '-a',
    '--a=',
  ],
  ...['\ufdfa', 'a/', '../', 'a:b=', ', ', 'rm -r ', "sed -n 's/a/", "awk '{print "],
];

function cpuOf(action: () => void): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe(PermissionPolicy.name, () => {
  beforeAll(() => {
    for (let n = 0; n < 5; n++) judgeCommand(RULES, 'git log | ls; '.repeat(70));
  });

  it.each(REPEATED)('is soon done with a script that repeats %j', (piece) => {
    const text = piece.repeat(LENGTH / piece.length);
    const used = ['', 'ls ', 'x="'].map((before) =>
      cpuOf(() => judgeCommand(RULES, before + text.slice(0, LENGTH - 3))),
    );
    expect(Math.max(...used)).toBeLessThan(1000);
  });

  it.each([
    `awk '{print ${'$1  '.repeat(16)}x(}' a`,
    `sed -n '${'  p;'.repeat(16)}x' a`,
    `sed -n '/${'[^a]'.repeat(30)}/w' a`,
  ])('is soon done with code that can be split in many ways: %j', (command) => {
    expect(cpuOf(() => judgeCommand([prefix('allow', 'awk', 'sed')], command))).toBeLessThan(1000);
  });
});
