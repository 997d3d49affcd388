import type { Word } from '../script.js';

/** A regular expression that ends with a character, which is in no bracket expression of it. */
function patternTo(mark: string): string {
  const set = String.raw`\[\^?\]?(?:[^\][\\\n${mark}]|\[:[a-z]+:\])*\]`;
  return String.raw`(?:[^[\\\n${mark}]|\\[^\n${mark}]|${set})*[${mark}]`;
}

const REGEX = `/${patternTo('/')}`;
const ADDRESS = String.raw`(?:\d+|\$|${REGEX})`;
const RANGE = String.raw`(?:${ADDRESS}(?:,(?:${ADDRESS}|\+\d+))?!?)?`;
const SUBSTITUTE = ['/', '|', '#', ',']
  .map((mark) => {
    const text = String.raw`(?:[^\\\n${mark}]|\\[^\n${mark}])*`;
    return String.raw`s[${mark}]${patternTo(mark)}${text}[${mark}][gpIi\d]*`;
  })
  .join('|');
const COMMAND = `[ \t]*${RANGE}[ \t]*(?:[pdq=]|${SUBSTITUTE})[ \t]*`;
/** Commands that only print, delete, replace and quit: not those that write or run something. */
// regex: on MAX_CODE characters
const SED = new RegExp(`^${COMMAND}(?:[;\n]${COMMAND})*$`);
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
  return (
    scripts.every(({ text, dynamic }) => !dynamic && text.length <= MAX_CODE && SED.test(text)) &&
    operands.every(isOperand)
  );
}

const VALUE = String.raw`(?:\$(?:\d+|NF)|NR|NF|FNR|"[^"\\\n]*")`;
const TEST = String.raw`(?:NR|FNR|NF|\$\d+)\s*(?:[=!<>]=|[<>])\s*(?:\d+|"[^"\\\n]*")`;
const CONDITION = `(?:${TEST}|${REGEX})`;
const ACTION = String.raw`\{\s*print(?:\s*${VALUE}(?:\s*,?\s*${VALUE})*)?\s*;?\s*\}`;
const RULE = `(?:${CONDITION}(?:\\s*(?:&&|\\|\\||,)\\s*${CONDITION})*)`;
/** Programs that only print fields of some lines. */
// regex: on MAX_CODE characters
const AWK = new RegExp(`^\\s*(?:${RULE}\\s*(?:${ACTION})?|${ACTION})\\s*$`);
const AWK_SEPARATOR = /^-F(?:.|\\t|\\\|)?$/;

/** True if a call of `awk` only prints. */
export function isPlainAwk(words: readonly Word[]): boolean {
  const hasSeparator = words[1] !== undefined && AWK_SEPARATOR.test(words[1].text);
  const at = hasSeparator ? (words[1]!.text === '-F' ? 3 : 2) : 1;
  const code = words[at];
  if (!code || words.slice(0, at + 1).some(({ dynamic }) => dynamic)) return false;
  return (
    code.text.length <= MAX_CODE && AWK.test(code.text) && words.slice(at + 1).every(isOperand)
  );
}

/** Longer code is not matched. */
const MAX_CODE = 200;
const UNKNOWN: Word = { text: '', dynamic: true, splits: true };

/** True for a file; a word with wildcards expands to words that begin as it does. */
function isOperand({ text, dynamic, pattern }: Word): boolean {
  return !/^[-+]|=/.test(text) && (!dynamic || (pattern !== undefined && text !== ''));
}
