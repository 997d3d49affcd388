import fc from 'fast-check';
import { COMMANDS, FRAGMENTS } from './fragments.js';

export const fragment = fc.oneof(
  ...Object.values(FRAGMENTS).map((topic) => fc.constantFrom(...topic)),
);
/** Of a length, below 1. */
export const share = fc.integer({ min: 0, max: 9_999 }).map((part) => part / 10_000);
const ordinary = fc.constantFrom(...COMMANDS.ordinary);

/** A change of a text at a place, which is a share of its length. */
type Change = (text: string, place: number) => string;

const insertion = fragment.map(
  (piece): Change =>
    (text, at) =>
      text.slice(0, at) + piece + text.slice(at),
);
const blankInsertion = fragment.map(
  (piece): Change =>
    (text, at) =>
      atBlank(text, at, (from) => `${text.slice(0, from)} ${piece} ${text.slice(from)}`),
);
const deletion = fc.integer({ min: 1, max: 3 }).map(
  (count): Change =>
    (text, at) =>
      text.slice(0, at) + text.slice(at + count),
);
const replacement = fragment.map(
  (piece): Change =>
    (text, at) =>
      text.slice(0, at) + piece + text.slice(at + 1),
);
const duplication = fc
  .tuple(fc.integer({ min: 1, max: 12 }), share)
  .map(([length, to]): Change => (text, at) => {
    const place = Math.floor(to * (text.length + 1));
    return text.slice(0, place) + text.slice(at, at + length) + text.slice(place);
  });
const WRAPS: readonly (readonly [string, string])[] = [
  ...([
    ["'", "'"],
    ['"', '"'],
    ["$'", "'"],
    ['$"', '"'],
    ['`', '`'],
    ['$(', ')'],
    ['<(', ')'],
    ['(', ')'],
  ] as const),
  ...([
    ['{ ', '; }'],
    ['{', ',x}'],
    ['${x:-', '}'],
    ["bash -c '", "'"],
    ["sh -c '", "'"],
    ["eval '", "'"],
  ] as const),
  ...([
    ['if ', '; then ls; fi'],
    ['for x in a; do ', '; done'],
    ['cat <<E\n', '\nE\n'],
    ['f() { ', '; }; f'],
  ] as const),
  ...([
    ['"`', '`"'],
    ['"$(', ')"'],
    ['$((', '))'],
    ['case a in a) ', ';; esac'],
    ['! ', ''],
    ['cat <<< "', '"'],
  ] as const),
];
const wrapping = fc
  .tuple(fc.constantFrom(...WRAPS), share)
  .map(([[open, close], to]): Change => (text, at) => {
    const end = at + Math.ceil(to * (text.length - at));
    return text.slice(0, at) + open + text.slice(at, end) + close + text.slice(end);
  });
/** Other spellings of one character, right ones and almost right ones. */
const spelling = fc.constantFrom<(c: string) => string>(
  (c) => `\\${c}`,
  (c) => `'${c}'`,
  (c) => `"${c}"`,
  (c) => `$'${c}'`,
  (c) => `$"${c}"`,
  (c) => `''${c}`,
  (c) => `\\\n${c}`,
  (c) => `$'\\x${hex(c, 2)}'`,
  (c) => `$'\\x{${hex(c, 2)}}'`,
  (c) => `$'\\u${hex(c, 4)}'`,
  (c) => `$'\\U${hex(c, 8)}'`,
  (c) => `$'\\${c.charCodeAt(0).toString(8).padStart(3, '0')}'`,
  (c) => `$'${c}\\0x'`,
  (c) => `$'${c}\\x00x'`,
  (c) => `$'\\${c}'`,
  (c) => `{${c},${c}}`,
  (c) => `[${c}]`,
  (c) => `$(echo ${c})`,
  (c) => `\${x:-${c}}`,
  () => '?',
  () => '*',
);
const respelling = spelling.map(
  (spell): Change =>
    (text, at) =>
      at < text.length ? text.slice(0, at) + spell(text[at]!) + text.slice(at + 1) : text,
);
const appending = fc
  .tuple(fc.constantFrom('; ', ' && ', ' | ', '\n', ' & ', ' || ', ' '), ordinary)
  .map(
    ([joint, command]): Change =>
      (text) =>
        text + joint + command,
  );

export const change = fc.oneof(
  { weight: 6, arbitrary: insertion },
  { weight: 4, arbitrary: blankInsertion },
  { weight: 2, arbitrary: deletion },
  { weight: 2, arbitrary: replacement },
  { weight: 2, arbitrary: duplication },
  { weight: 3, arbitrary: wrapping },
  { weight: 4, arbitrary: respelling },
  { weight: 1, arbitrary: appending },
);

function hex(character: string, length: number): string {
  return character.charCodeAt(0).toString(16).padStart(length, '0');
}

/** At the blank before a place, between two words. */
function atBlank(text: string, at: number, change: (from: number) => string): string {
  const blank = text.lastIndexOf(' ', at);
  return change(blank < 0 ? text.length : blank);
}
