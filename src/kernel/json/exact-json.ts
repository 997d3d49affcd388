import { randomUUID } from 'node:crypto';

/** Begins the strings that stand for numbers while `JSON.stringify` runs. It can't be guessed. */
const MARK = `exact-number-${randomUUID()}:`;
// regex: ours, without a repetition but for the text between two quotes
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g');

/** A number without one of these is exact: 15 digits always fit into a double. */
const SUSPECT = /[\d.]{16}|\d[eE]/;
/** A number without one of these is written as it was read. */
const MAYBE_REWRITTEN = /[\d.]{16}|\d[eE.]|-0/;
const NUMBER = /-?\d[\d.eE+-]*/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/**
 * A number that JavaScript would write in other characters: an integer beyond 2^53, `1e400`, a
 * decimal with too many digits, `1.0`, `-0`. Write JSON that has such numbers with `exactJson`.
 */
export class ExactNumber {
  /** @param text as JSON writes it */
  constructor(readonly text: string) {}

  toJSON(): string {
    return MARK + this.text;
  }

  toString(): string {
    return this.text;
  }
}

/** Numbers that are held back from a parser: text with one has a suspect part. */
interface Kind {
  readonly suspect: RegExp;
  readonly isMeant: (text: string) => boolean;
}

const INEXACT: Kind = { suspect: SUSPECT, isMeant: (text) => !isExact(text) };
const REWRITTEN: Kind = {
  suspect: MAYBE_REWRITTEN,
  isMeant: (text) => String(Number(text)) !== text,
};

/**
 * Parses JSON so that `exactJson` writes each number with the same characters.
 * @throws SyntaxError as `JSON.parse`
 */
export function parseExact(json: string): unknown {
  return parseHolding(json, REWRITTEN, (text) => new ExactNumber(text));
}

/**
 * Parses JSON with the text of each number that a double would change in its place.
 * @throws SyntaxError as `JSON.parse`
 */
export function parseWithDigits(json: string): unknown {
  return parseHolding(json, INEXACT, String);
}

function parseHolding(json: string, kind: Kind, hold: (text: string) => unknown): unknown {
  const value: unknown = JSON.parse(json); // also finds faults that marks would hide
  const marked = replaceNumbers(json, kind, (text) => `"${MARK}${text}"`);
  if (marked === json) return value;
  return JSON.parse(marked, (_, item: unknown) =>
    typeof item === 'string' && item.startsWith(MARK) ? hold(item.slice(MARK.length)) : item,
  );
}

/** Like `JSON.stringify`, with every digit of its exact numbers. */
export function exactJson(value: unknown): string {
  return unmarkNumbers(JSON.stringify(value));
}

/** Puts exact numbers, with their digits, into the output of `JSON.stringify`. */
export function unmarkNumbers(json: string): string {
  return json.includes(MARK) ? json.replaceAll(MARKED, '$1') : json;
}

/** The first number of this JSON that a double would change; undefined: there is none. */
export function findInexact(json: string): string | undefined {
  let found: string | undefined;
  replaceNumbers(json, INEXACT, (text) => {
    found ??= text;
    return text;
  });
  return found;
}

function replaceNumbers(
  json: string,
  { suspect, isMeant }: Kind,
  replace: (text: string) => string,
): string {
  if (!suspect.test(json)) return json;
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < json.length; at++) {
    if (json.charCodeAt(at) === QUOTE) at = endOfString(json, at);
    const text = numberAt(json, at);
    if (text === undefined) continue;
    if (isMeant(text)) {
      parts.push(json.slice(copied, at), replace(text));
      copied = at + text.length;
    }
    at += text.length - 1;
  }
  return [...parts, json.slice(copied)].join('');
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charCodeAt(at) !== QUOTE)
    at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

function numberAt(json: string, at: number): string | undefined {
  const first = json.charCodeAt(at);
  if (first !== MINUS && (first < ZERO || first > NINE)) return undefined;
  NUMBER.lastIndex = at;
  return NUMBER.exec(json)?.[0];
}

function isExact(text: string): boolean {
  const number = Number(text);
  return Number.isFinite(number) && decimalOf(text) === decimalOf(String(number));
}

/** The value of a number as text that equal values share. */
function decimalOf(text: string): string {
  const [mantissa = '', exponent = '0'] = text.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  let [start, end] = [0, digits.length];
  while (digits[start] === '0') start++;
  while (end > start && digits[end - 1] === '0') end--;
  if (start === end) return '0';
  const power = Number(exponent) - fraction.length + (digits.length - end);
  return `${text.startsWith('-') ? '-' : ''}${digits.slice(start, end)}e${power}`;
}
