import { splitWords } from '../shell/words.js';
import { canonicalJson } from '../../kernel/json/json.js';
import { normalizeText } from '../../kernel/text/normalize-text.js';
import { commandAllower, commandForbidder } from './match-command.js';
import { pathAllower, pathForbidder } from './match-path.js';
import { textAllower, textForbidder } from './match-text.js';
import { MatcherFault } from './matcher-fault.js';
import type { CompiledMatcher } from './match.js';
import { no, yes } from './match.js';
import { compileGlob } from '../../matching/glob.js';
import { LinearRegex } from '../../matching/linear-regex.js';
import { messageOf } from '../../kernel/app-error.js';
import type { Matcher } from '../../protocol/wire/rule.js';

/**
 * Compiles a matcher. If a match can't be determined, the matcher of a rule that allows returns no;
 * any other matcher returns yes or maybe.
 * @throws MatcherFault
 */
export function compileMatcher(matcher: Matcher, allows: boolean): CompiledMatcher {
  switch (matcher.type) {
    case 'all':
      return broad(allows, () => yes('it covers everything'));
    case 'category':
      return compileCategory(matcher.category, allows);
    case 'tool':
      return compileTool(matcher, allows);
    case 'command_prefix': {
      const commands = matcher.prefixes.map(requireWords);
      const { exact = false, open = false } = matcher;
      return allows ? commandAllower(commands, { exact, open }) : commandForbidder(commands, exact);
    }
    case 'regex': {
      const regex = compileRegex(matcher.pattern);
      return onlyFor(matcher.tool, allows ? textAllower(regex) : textForbidder(regex));
    }
    case 'path': {
      const glob = compileGlobOf('pattern', normalizeText(matcher.pattern, 'NFC'), !allows);
      return onlyFor(matcher.tool, allows ? pathAllower(glob) : pathForbidder(glob));
    }
  }
}

/** A matcher for whole calls. A rule that allows does not cover an unreadable script. */
function broad(allows: boolean, match: CompiledMatcher): CompiledMatcher {
  return (part, call) => {
    if (allows && part.kind === 'unreadable') return no(`the command ${part.fault}`);
    return match(part, call);
  };
}

function compileCategory(category: string, allows: boolean): CompiledMatcher {
  return broad(allows, (part, { call }) => {
    const writes = part.kind === 'file' && part.access === 'write';
    if (!allows && writes && category === 'write') return yes(`${part.source} writes a file`);
    const found = call.policy?.category ?? 'unknown';
    return found === category
      ? yes(`the tool's category is ${category}`)
      : no(`the tool's category is ${found}`);
  });
}

function compileTool(
  { pattern, input }: Extract<Matcher, { type: 'tool' }>,
  allows: boolean,
): CompiledMatcher {
  const glob = compileGlobOf('pattern', pattern);
  const wanted = input && canonicalJson(input);
  const match: CompiledMatcher = (_, judged) => {
    const { call } = judged;
    if (glob.covers(call.tool_name, judged.effort) !== true)
      return no(`the tool is ${call.tool_name}`);
    if (wanted === undefined) return yes(`the tool is ${call.tool_name}`);
    const isSame = judged.inputJson === wanted;
    return isSame ? yes('it is exactly this call') : no('the input is another');
  };
  return wanted === undefined ? broad(allows, match) : match;
}

function onlyFor(tool: string | undefined, match: CompiledMatcher): CompiledMatcher {
  if (tool === undefined) return match;
  const glob = compileGlobOf('tool', tool);
  return (part, judged) =>
    glob.covers(judged.call.tool_name, judged.effort) === true
      ? match(part, judged)
      : no(`the tool is ${judged.call.tool_name}`);
}

function requireWords(prefix: string, index: number): string[] {
  const words = splitWords(prefix);
  if (words) return words;
  throw new MatcherFault(
    `prefixes.${index}`,
    'has to be the first words of one command, without operators, variables or wildcards (what follows is covered anyway); quote words that hold special characters',
  );
}

/** @throws MatcherFault */
function compileRegex(pattern: string): LinearRegex {
  try {
    return LinearRegex.compile(pattern);
  } catch (cause) {
    const message = `is not a valid regular expression (RE2 syntax: no look-around, no back references): ${messageOf(cause)}`;
    throw new MatcherFault('pattern', message, { cause });
  }
}

/** @throws MatcherFault */
function compileGlobOf(field: string, pattern: string, ignoreCase = false): LinearRegex {
  try {
    return compileGlob(pattern, { ignoreCase });
  } catch (cause) {
    throw new MatcherFault(field, `is not a valid glob: ${messageOf(cause)}`, { cause });
  }
}
