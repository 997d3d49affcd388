import { PermissionPolicy } from '../../src/permissions/policy/permission-policy.js';
import { readPlainScript } from '../../src/permissions/shell/plain-script.js';
import type { ScriptPart, Word } from '../../src/permissions/shell/script.js';
import { ScriptReader } from '../../src/permissions/shell/script-reader.js';
import { ShellGrammar } from '../../src/permissions/shell/shell-grammar.js';
import type { ShellJudge } from '../support/shell/find-violations.js';
import { bash, NOW, prefix, rule } from './fixtures.js';
import type { PermissionRule } from '../../src/protocol/wire/rule.js';

const reader = new ScriptReader(await ShellGrammar.load());

/** Allows some commands by rules of each kind. */
export const allowing: ShellJudge = {
  ...judgeBy([
    prefix('allow', 'git log', 'git status', 'git diff', 'ls', 'cat', 'npm test', 'find', 'grep'),
    prefix(
      'allow',
      'sed -n',
      "sed -n '1,5p' a",
      'sed -n 5p',
      'echo',
      'head',
      'tail',
      'wc',
      'cd',
      'sort',
    ),
    prefix('allow', 'sleep', 'wait', 'true', 'sed', 'uniq', 'printf', 'diff'),
    rule('allow', { type: 'regex', pattern: 'npm run (lint|build)' }),
    rule('allow', { type: 'path', pattern: 'out/**' }),
  ]),
  namesAll: true,
  secrets: ['.git/config'],
};

/** Allows everything but what the operator denies. */
export const denying: ShellJudge = {
  ...judgeBy(
    [rule('allow', { type: 'all' })],
    [
      rule('deny', { type: 'path', pattern: '**/.env' }),
      prefix('deny', 'rm -rf', 'git push', 'curl'),
    ],
  ),
  namesAll: false,
  secrets: ['.env'],
};

/** Allows programs that write where they are told. */
export const writing: ShellJudge = {
  ...judgeBy([
    prefix('allow', 'cp', 'mv', 'rm', 'mkdir', 'ln', 'touch', 'chmod', 'ls', 'cd', 'git checkout'),
    prefix('allow', 'git diff', 'git log', 'git clone', 'git push', 'git fetch', 'git status'),
  ]),
  namesAll: true,
  secrets: ['.git/config', '.git/hooks/post-checkout'],
};

/** Allows every plain script of programs that run nothing. */
export const plain: ShellJudge = {
  allows: (script) => {
    const commands = plainCommandsOf(script);
    return commands.length > 0 && commands.every(([name]) => HARMLESS.has(name!.text));
  },
  partsOf: (script) =>
    plainCommandsOf(script).map((words) =>
      toPart(
        script,
        words.map(({ text, glob }) => ({ ...{ text, dynamic: glob, splits: glob } })),
      ),
    ),
  namesAll: true,
  secrets: [],
};

const HARMLESS: ReadonlySet<string> = new Set(
  'ls cat head wc grep echo cd x a b cp jq pwned touch'.split(' '),
);

function plainCommandsOf(script: string) {
  const read = readPlainScript(script);
  return 'commands' in read ? read.commands : [];
}

function toPart(source: string, words: readonly Word[]): ScriptPart {
  const more = { must_name: 1, whole: false, unlisted: false, opaque: false, shadow: false };
  return { kind: 'command', source, words, ...more };
}

/** Looks at the first word and no further. */
export const careless: ShellJudge = {
  allows: (script) => /^(?:ls|cat|echo|git)\b/.test(script),
  partsOf: (script) => [firstWordOf(script)],
  namesAll: true,
  secrets: [],
};

function firstWordOf(script: string): ScriptPart {
  const [text] = script.split(/[^a-z]/, 1) as [string];
  return toPart(script, [{ text, dynamic: false, splits: false }]);
}

function judgeBy(
  added: readonly PermissionRule[],
  operator: readonly PermissionRule[] = [],
): Pick<ShellJudge, 'allows' | 'partsOf'> {
  const policy = new PermissionPolicy({ operator, added }, { scripts: reader });
  return {
    allows: (script) => policy.judge(bash(script), NOW).decision === 'allow',
    partsOf: (script) => reader.read(script).parts,
  };
}
