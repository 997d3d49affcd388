import { randomUUID } from 'node:crypto';

/** Begins the strings that stand for numbers while `JSON.stringify` runs. It can't be guessed. */
const MARK = `exact-number-${randomUUID()}:`;
// regex: ours, without a repetition but for the text between two quotes
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g');

/** A number without one of these is exact: 15 digits always fit into a double. */
const SUSPECT = /[\d.]{16}|\d[eE]/;
const NUMBER = /-?\d[\d.eE+-]*/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * A number that a double would change: an integer beyond 2^53, `1e400`, a decimal with too many
 * digits. Write JSON that has such numbers with `exactJson`.
 */
export class ExactNumber {
  /** @param text as JSON writes it */
  constructor(readonly text: string) {}

  toJSON(): string {
    return MARK + this.text;
  }
}

/**
 * Parses JSON without changing a number.
 * @param hold makes the value of a number that a double would change
 * @throws SyntaxError as `JSON.parse`
 */
export function parseExact(
  json: string,
  hold: (text: string) => unknown = (text) => new ExactNumber(text),
): unknown {
  const value: unknown = JSON.parse(json); // also finds faults that marks would hide
  const marked = replaceInexact(json, (text) => `"${MARK}${text}"`);
  if (marked === json) return value;
  return JSON.parse(marked, (_, item: unknown) =>
    typeof item === 'string' && item.startsWith(MARK) ? hold(item.slice(MARK.length)) : item,
  );
}

/** As `JSON.stringify`, with every digit of its exact numbers. */
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
  replaceInexact(json, (text) => {
    found ??= text;
    return text;
  });
  return found;
}

function replaceInexact(json: string, replace: (text: string) => string): string {
  if (!SUSPECT.test(json)) return json;
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < json.length; at++) {
    if (json.charCodeAt(at) === QUOTE) at = endOfString(json, at);
    const text = numberAt(json, at);
    if (text === undefined) continue;
    if (!isExact(text)) {
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
