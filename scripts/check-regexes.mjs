// Fails on regular expressions of the server and its client whose time grows faster than their
// text: V8 has no time limit, so a text from outside could hold the process. Where such an
// expression sees only short text, or text of our own, a comment `// regex:` beside it or above it
// says so.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ambiguityOf } from './regexes/ambiguity.mjs';

const ts = createRequire(import.meta.url)('typescript'); // an import takes a second longer

const PARSING = {
  languageVersion: ts.ScriptTarget.Latest,
  jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
};

/** Patterns that have to be found, and some that must not be. */
const SLOW = [
  /^\s*(<!--[^]*?-->\s*)*<(!doctype\s+html|html)[\s>]/i,
  /\{.*(?:,|\.\.).*\}/s,
  /```(?:json)?\s*\n([\s\S]*?)\n\s*```/,
  /^(a*)*$/,
  /\s+$/,
  /a(?:.*b)?/g,
  /^(?!.*a).*b/m,
  /(?<=a*)b/,
  /(.)\1*$/,
];
const FAST = [/^\s+$/, /\s+/g, /^(\w+,)*\w+$/, /=.*/s, /<svg[\s>:]/i, /^a{2,8}b*c+$/];

/** Only files with such a text are parsed. */
const MAY_HAVE =
  /(?:^|[^\w\s)\]*/'"`])\s*\/(?![/*])|\b(?:return|typeof|case|of|in|void|await|yield)\s+\/|RegExp\b/m;

let failed = false;
for (const known of [...SLOW, ...FAST])
  if (SLOW.includes(known) !== (ambiguityOf(known.source, known.flags) !== undefined))
    report('scripts/regexes', `${known} is ${SLOW.includes(known) ? 'not found' : 'found'}`);

const files = ['src', 'client', 'terminal', 'web/src']
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)))
  .filter((name) => /\.(?:[jt]s|tsx)$/.test(name) && !/\.(?:spec|d)\.tsx?$/.test(name));
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  if (MAY_HAVE.test(text) || isReason(text)) checkFile(file, text);
}
if (failed) process.exitCode = 1;

function checkFile(file, text) {
  const source = ts.createSourceFile(file, text, PARSING);
  const lines = text.split('\n');
  const unused = new Set(lines.flatMap((line, index) => (isReason(line) ? [index] : [])));
  const lineOf = (node) => source.getLineAndCharacterOfPosition(node.getStart(source)).line;
  const visit = (node, statement) => {
    const fault = faultIn(node, source);
    if (fault !== undefined) {
      const line = lineOf(node);
      const reason = reasonAt(lines, line) ?? reasonAt(lines, lineOf(statement));
      if (reason === undefined) report(`${file}:${line + 1}`, fault);
      else unused.delete(reason);
    }
    ts.forEachChild(node, (child) => visit(child, ts.isStatement(child) ? child : statement));
  };
  visit(source, source);
  for (const line of unused) report(`${file}:${line + 1}`, 'this comment is not needed');
}

function faultIn(node, source) {
  if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) {
    const end = node.text.lastIndexOf('/');
    const fault = ambiguityOf(node.text.slice(1, end), node.text.slice(end + 1));
    return fault && `${node.text} ${fault}`;
  }
  const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
  if (!isCall || node.expression.getText(source) !== 'RegExp') return undefined;
  return 'RegExp is called with a pattern that this check does not see';
}

/** The line of the comment that allows what is on a line, if there is one. */
function reasonAt(lines, at) {
  if (isReason(lines[at])) return at;
  for (let line = at - 1; /^\s*\/\//.test(lines[line] ?? ''); line--)
    if (isReason(lines[line])) return line;
  return undefined;
}

function isReason(line) {
  return /\/\/ regex: \S/.test(line);
}

function report(where, fault) {
  failed = true;
  console.log(`${where}: ${fault}`);
}
