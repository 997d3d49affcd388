import { LinearRegex } from '../../../matching/linear-regex.js';
import type { Word } from '../script.js';

/** A regular expression that ends with a character, which is in no bracket expression of it. */
function patternTo(mark: string): string {
  const set = String.raw`\[\^?\]?(?:[^\][\\\n${mark}]|\\[tn]|\[:[a-z]+:\])*\]`;
  return String.raw`(?:[^[\\\n${mark}]|\\[^\n${mark}]|${set})*[${mark}]`;
}

const REGEX = `/${patternTo('/')}`;
const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|${REGEX})`;
const RANGE = String.raw`(?:${ADDRESS}(?:,(?:${ADDRESS}|\+\d+))?!?)?`;
const SUBSTITUTE = ['/', '|', '#', ',']
  .map((mark) => {
    const text = String.raw`(?:[^\\\n${mark}]|\\[^\n${mark}])*`;
    return String.raw`s[${mark}]${patternTo(mark)}${text}[${mark}][gpIi\d]*`;
  })
  .join('|');
const COMMAND = `[ \t]*${RANGE}[ \t]*(?:[pdq=]|${SUBSTITUTE})[ \t]*`;
/** Commands that only print, delete, replace and quit: not those that write or run something. */
/** Text that is inserted, up to the end of the line. */
const INSERT = String.raw`[ \t]*${RANGE}[ \t]*[aic]\\?[^\n\\]*`;
const SED = LinearRegex.compile(
  `(?:${COMMAND}|${INSERT})(?:\n(?:${COMMAND}|${INSERT})|;(?:${COMMAND}|${INSERT}))*`,
);
const SED_FLAG = /^(?:-[nEruz]+|--(?:quiet|silent|regexp-extended))$/;

/** True if a call of `sed` only prints. */
export function isPlainSed(words: readonly Word[]): boolean {
  const scripts: Word[] = [];
  const operands: Word[] = [];
  for (let at = 1; at < words.length; at++) {
    const word = words[at]!;
    if (word.text === '-e') scripts.push(words[++at] ?? UNKNOWN);
    else if (!SED_FLAG.test(word.text)) operands.push(word);
  }
  if (scripts.length === 0) scripts.push(operands.shift() ?? UNKNOWN);
  return scripts.every((script) => isCode(script, SED)) && operands.every(isFile);
}

const SED_IN_PLACE = /^(?:-i[\w.~]*|--in-place(?:=[\w.~]*)?)$/;

/** True if a call of `sed` only prints, or does the same to the files that it names. */
export function editsPlainly(words: readonly Word[]): boolean {
  return isPlainSed(words.filter(({ text, dynamic }) => dynamic || !SED_IN_PLACE.test(text)));
}

const NAME = String.raw`\b[a-z][a-z\d_]*\b`;
const TEXT = String.raw`"(?:[^"\\\n]|\\[tn])*"`;
const VALUE = String.raw`(?:\$(?:\d+|NF|NR)|NR|NF|FNR|${TEXT}|${NAME})`;
const COUNT = String.raw`${NAME}(?:\[${VALUE}\])?(?:\+\+|\+=(?:${VALUE}|\d+))`;
const TEST = String.raw`(?:NR|FNR|NF|length|\$\d+)\s*(?:[=!<>]=|[<>])\s*(?:\d+|${TEXT})`;
const CONDITION = String.raw`(?:${TEST}|${REGEX}|BEGIN|END|!${NAME}\[${VALUE}\]\+\+)`;
const PRINT = String.raw`printf?\b(?:\s*${VALUE}(?:\s*,?\s*${VALUE})*)?`;
const STATEMENT = `(?:${PRINT}|${COUNT})`;
const ACTION = String.raw`\{\s*${STATEMENT}(?:\s*;\s*${STATEMENT})*\s*;?\s*\}`;
const RULE = String.raw`(?:${CONDITION}(?:\s*(?:&&|\|\||,)\s*${CONDITION})*)`;
/** Programs that only print and count fields of some lines. */
const AWK = LinearRegex.compile(
  String.raw`\s*(?:(?:${RULE})?\s*${ACTION}\s*;?\s*)*(?:${RULE})?\s*`,
);
/** An assignment, or a connection of gawk. */
const NO_AWK_FILE = /^(?:[A-Za-z_]\w*=|\/inet[46]?\/)/;
const AWK_SEPARATOR = /^-F(?:.|\\t|\\\|)?$/;

/** True if a call of `awk` only prints. */
export function isPlainAwk(words: readonly Word[]): boolean {
  const hasSeparator = words[1] !== undefined && AWK_SEPARATOR.test(words[1].text);
  const at = hasSeparator ? (words[1]!.text === '-F' ? 3 : 2) : 1;
  const code = words[at];
  if (!code || words.slice(0, at + 1).some(({ dynamic }) => dynamic)) return false;
  return (
    isCode(code, AWK) &&
    words.slice(at + 1).every((word) => isFile(word) && !NO_AWK_FILE.test(word.text))
  );
}

/** Longer code is not matched. */
const MAX_CODE = 200;
const UNKNOWN: Word = { text: '', dynamic: true, splits: true };

function isCode({ text, dynamic }: Word, language: LinearRegex): boolean {
  return !dynamic && text !== '' && text.length <= MAX_CODE && language.covers(text) === true;
}

/** True for a file; a word with wildcards expands to words that begin as it does. */
function isFile({ text, dynamic, pattern }: Word): boolean {
  return !/^[-+]/.test(text) && (!dynamic || (pattern !== undefined && text !== ''));
}
