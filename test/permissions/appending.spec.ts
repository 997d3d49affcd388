import fc from 'fast-check';
import { PermissionPolicy } from '../../src/permissions/policy/permission-policy.js';
import { judgeCommand, prefix } from './fixtures.js';
import { runs } from '../support/thoroughness.js';

const RULES = [prefix('allow', 'git log', 'git status', 'ls', 'cat', 'echo', 'npm test')];
const DENIED = [prefix('deny', 'rm -rf'), ...RULES];

/** Words that are nothing special to a shell. */
const word = fc.stringMatching(/^[a-z0-9][a-z0-9._/-]{0,8}$/);
const quoted = fc.stringMatching(/^[a-z ;|&$()<>#*]{0,10}$/).map((text) => `'${text}'`);
const command = fc
  .tuple(
    fc.constantFrom('git log', 'git status', 'ls', 'cat', 'echo', 'npm test'),
    fc.array(fc.oneof(word, quoted), { maxLength: 4 }),
  )
  .map(([name, args]) => [name, ...args].join(' '));
const allowed = fc.array(command, { minLength: 1, maxLength: 4 }).chain((commands) =>
  fc
    .array(fc.constantFrom('; ', ' && ', ' || ', ' | ', '\n'), {
      minLength: 4,
      maxLength: 4,
    })
    .map((joints) => commands.map((text, at) => (at === 0 ? text : joints[at]! + text)).join('')),
);

/** Ways to put something more behind a command. */
const APPENDED = [
  '; rm -rf x',
  ' && rm -rf x',
  ' || rm -rf x',
  ' & rm -rf x',
  ' | rm -rf x',
  '\nrm -rf x',
  '\n\n  rm -rf x',
  ' $(rm -rf x)',
  ' "$(rm -rf x)"',
  ' `rm -rf x`',
  ' <(rm -rf x)',
  '; { rm -rf x; }',
  '; (rm -rf x)',
  '; if rm -rf x; then ls; fi',
  '; eval "rm -rf x"',
  '; bash -c "rm -rf x"',
  '; ls | xargs rm -rf',
  '; sudo rm -rf x',
];

const APPENDED_THAT_ASK = [
  ' | sh',
  ' | bash -s',
  ' > x',
  ' >> ~/.bashrc',
  ' 2> x',
  '; $x',
  ' ${x@P}',
  '; . ./x',
  '; PATH=.',
  ' \\',
  ' "',
  " '",
  ' `',
  ' $(',
  ' <<E',
  ' &',
  '; x=1 ls',
  '; for f in a; do ls; done',
  ' \u202e',
];

describe(PermissionPolicy.name, () => {
  it('allows what is made of allowed commands only', () => {
    fc.assert(fc.property(allowed, (text) => judgeCommand(RULES, text).decision === 'allow'));
  });

  it('never allows what has something appended that is not', () => {
    const appended = fc.constantFrom(...APPENDED, ...APPENDED_THAT_ASK);
    fc.assert(
      fc.property(
        allowed,
        appended,
        (text, more) => judgeCommand(RULES, text + more).decision !== 'allow',
      ),
      { numRuns: runs(500) },
    );
  });

  it('denies whatever is denied, behind whatever it is put', () => {
    const appended = fc.constantFrom(...APPENDED);
    fc.assert(
      fc.property(
        allowed,
        appended,
        (text, more) => judgeCommand(DENIED, text + more).decision === 'deny',
      ),
      { numRuns: runs(500) },
    );
  });

  it('never allows or throws on any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        (text) => judgeCommand([prefix('allow', 'no-such-program')], text).decision === 'ask',
      ),
      { numRuns: runs(500) },
    );
  });
});
