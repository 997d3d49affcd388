import type { Effort } from '../../matching/effort.js';
import type { LinearRegex } from '../../matching/linear-regex.js';
import type { CommandPart } from '../shell/script.js';
import { quoteWord } from '../shell/words.js';
import { rememberPerObject } from '../../kernel/remember-per-object.js';
import type { CompiledMatcher } from './match.js';
import { MAX_TEXTS } from './judged-part.js';
import type { JudgedCall, JudgedPart } from './judged-part.js';
import type { Match } from './match.js';
import { maybe, no, yes } from './match.js';

/** Matches a command from its start; for any other call, every text of the input has to match. */
export function textAllower(regex: LinearRegex): CompiledMatcher {
  return (part, { texts, effort }) => {
    if (part.kind === 'unreadable') return no(`the command ${part.fault}`);
    if (part.kind === 'command') return permits(part, regex, effort);
    if (part.kind !== 'call') return no('it is not a command');
    const all = texts.length > 0 && texts.length <= MAX_TEXTS;
    const matched = all && texts.every((text) => regex.begins(text, effort) === true);
    return matched
      ? yes('every text of the input matches')
      : no('not every text of the input matches');
  };
}

function permits(part: CommandPart, regex: LinearRegex, effort: Effort): Match {
  if (part.doubt !== undefined) return no(part.doubt);
  if (part.words.some(({ dynamic }) => dynamic))
    return no('the command has words that are known only when it runs');
  const needsAll = part.whole || part.after_links || part.must_name > 1;
  const text = textOf(part);
  const result = needsAll ? regex.covers(text, effort) : regex.begins(text, effort);
  if (result === 'too much') return no('matching would take too long');
  return result ? yes('the command matches') : no('the command does not match');
}

/** Matches anywhere in the command, as written or as a shell reads it, or in the input. */
export function textForbidder(regex: LinearRegex): CompiledMatcher {
  return (part, judged) => {
    const results = textsOf(part, judged).map((text) => regex.finds(text, judged.effort));
    if (part.kind !== 'call') results.push(judged.findsInScript(regex));
    if (results.includes('too much'))
      return yes('matching would take too long, so it counts as a match');
    if (results.includes(true)) return yes('the text matches');
    return isKnown(part)
      ? no('the text does not match')
      : maybe('the command may turn out to match');
  };
}

/** True if no code is in the part that is not visible here. */
function isKnown(part: JudgedPart): boolean {
  if (part.kind === 'other') return !part.opaque;
  return part.kind !== 'command' || !(part.opaque || part.words.some(({ dynamic }) => dynamic));
}

function textsOf(part: JudgedPart, judged: JudgedCall): readonly string[] {
  if (part.kind === 'call') {
    const whole = [judged.inputJson, withNumbers(judged.inputJson)];
    const jsons = [...new Set(whole)].map((json) => `${judged.call.tool_name} ${json}`);
    return [...jsons, ...judged.texts].slice(0, MAX_TEXTS);
  }
  if (part.kind !== 'command') return [part.source];
  return [...new Set([textOf(part), plainTextOf(part), part.source])];
}

/** The unambiguous text of a command: words with special characters are in single quotes. */
const textOf = rememberPerObject(({ words }: CommandPart) =>
  words.map(({ text }) => quoteWord(text)).join(' '),
);

const plainTextOf = rememberPerObject(({ words }: CommandPart) =>
  words.map(({ text }) => text).join(' '),
);

/** A number that a double would change is a string here; a rule may be written for the number. */
function withNumbers(json: string): string {
  return json.replaceAll(/"(-?\d[\d.eE+-]*)"/g, '$1');
}
