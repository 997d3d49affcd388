import type { Effort } from '../../matching/effort.js';
import type { CommandPart, OtherPart, Word } from '../shell/script.js';
import type { CompiledMatcher } from './match.js';
import { forbids } from './forbids-command.js';
import type { Match } from './match.js';
import { maybe, no, yes } from './match.js';
import { roughWords, UNREAD } from './rough-words.js';

const NOT_A_COMMAND = no('it is not a command');

/** In steps. */
const COST_OF_A_PREFIX = 2;

/** The words that an allow rule covers besides those that it names. */
export interface Extent {
  /** Nothing. */
  readonly exact: boolean;
  /** Anything, whatever the program makes of it. */
  readonly open: boolean;
}

/** Matches a command that begins with one of these prefixes, word by word. */
export function commandAllower(
  prefixes: readonly (readonly string[])[],
  extent: Extent,
): CompiledMatcher {
  return (part, { effort }) => {
    if (part.kind === 'unreadable') return no(`the command ${part.fault}`);
    if (part.kind !== 'command') return NOT_A_COMMAND;
    effort.spend(prefixes.length * COST_OF_A_PREFIX);
    const fitting = prefixes.filter((prefix) => begins(part.words, prefix));
    if (fitting.length === 0) return no('the command begins with other words');
    const results = fitting.map((prefix) => permits(part, prefix, extent));
    return results.find(({ matched }) => matched) ?? results[0]!;
  };
}

/** True if the command begins with all words of the rule. */
function begins(words: readonly Word[], prefix: readonly string[]): boolean {
  return prefix.every((wanted, at) => words[at]?.text === wanted && !words[at].dynamic);
}

function permits(part: CommandPart, prefix: readonly string[], { exact, open }: Extent): Match {
  if (part.doubt !== undefined) return no(part.doubt);
  if (prefix.length < part.must_name)
    return no(`the rule has to name at least ${part.must_name} words of it, as it runs another`);
  const isWhole = prefix.length === part.words.length;
  if (exact && !isWhole) return no('the command has more words');
  if (part.whole && !isWhole && !open)
    return no(
      'the rule has to name the whole command or be open, as its arguments can make it run or write anything',
    );
  if (part.after_links && !isWhole && !open)
    return no(
      'the rule has to name the whole command or be open, as the script changes files before, and could bring a link to .git through which it writes',
    );
  return yes(`the command begins with ${prefix.join(' ')}`);
}

/** Matches a command that could be one of these, in any spelling. */
export function commandForbidder(
  prefixes: readonly (readonly string[])[],
  exact: boolean,
): CompiledMatcher {
  return (part, { effort }) => {
    if (part.kind === 'unreadable') return forbidsText(part.source, prefixes, effort);
    if (part.kind === 'other') return forbidsOther(part, prefixes, effort);
    if (part.kind !== 'command') return NOT_A_COMMAND;
    const results = prefixes.map((prefix) => forbids(part.words, { prefix, exact, effort }));
    if (results.includes(true)) return yes('the command is one of those that it names');
    const inCode = part.whole && stands(argumentsOf(part), prefixes, effort);
    if (inCode === true) return part.unlisted ? maybe(IN_TEXT.why) : IN_TEXT;
    if (part.opaque) return RUNS_CODE;
    if (inCode === 'maybe') return TOO_LONG;
    if (results.includes('maybe')) return maybe('the command may turn out to be one that it names');
    return no('the command begins with other words');
  };
}

/** Shells can run what is in variables, tests and arithmetic. */
function forbidsOther(
  { source, opaque }: OtherPart,
  prefixes: readonly (readonly string[])[],
  effort: Effort,
): Match {
  if (opaque) return RUNS_CODE;
  const inText = stands(source, prefixes, effort);
  if (inText === 'maybe') return TOO_LONG;
  return inText ? maybe(IN_TEXT.why) : NOT_A_COMMAND;
}

const RUNS_CODE = maybe('the command may run code that can’t be read');
const TOO_LONG = maybe('the command is too long to look for the words that it names');
const IN_TEXT = yes('the words that it names stand in the command');

/** The arguments that are code for a program whose language is not parsed here. */
function argumentsOf({ words }: CommandPart): string {
  return words
    .slice(1)
    .map(({ text }) => text)
    .join(' ');
}

function forbidsText(
  source: string,
  prefixes: readonly (readonly string[])[],
  effort: Effort,
): Match {
  const inText = stands(source, prefixes, effort);
  if (inText === 'maybe') return TOO_LONG;
  return inText ? IN_TEXT : no('the words that it names are not there');
}

/** Words after a name that are compared with a prefix. */
const MAX_COMPARED = 50;

/** Checks if one of these prefixes occurs anywhere in a text that can't be parsed. */
function stands(
  text: string,
  prefixes: readonly (readonly string[])[],
  effort: Effort,
): boolean | 'maybe' {
  const words = roughWords(text, effort);
  const values = words.flatMap((word) =>
    word.text.split('=').map((value) => ({ ...word, text: value })),
  );
  const lists = values.length > words.length ? [words, values] : [words];
  let found: boolean | 'maybe' = false;
  for (const list of lists)
    for (let at = 0; at < list.length; at++) {
      const compared = list.slice(at, at + MAX_COMPARED);
      if (at + MAX_COMPARED < list.length) compared.push(UNREAD);
      for (const prefix of prefixes) {
        const result = forbids(compared, { prefix, exact: false, effort });
        if (result === true) return true;
        found ||= result;
      }
    }
  return found;
}
