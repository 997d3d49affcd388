import type { Effort } from '../../matching/effort.js';
import type { LinearRegex } from '../../matching/linear-regex.js';
import { isInGitFolder } from '../../workspace/parse-path.js';
import type { CommandPart } from '../shell/script.js';
import type { CompiledMatcher } from './match.js';
import type { Match } from './match.js';
import { maybe, no, yes } from './match.js';
import { roughWords, UNREAD } from './rough-words.js';
import { possiblePaths, toWorkspacePath } from './workspace-path.js';

/** In steps: to find the paths in it. */
const COST_OF_A_WORD = 60;
/** In steps: to normalize a character of a path and to divide it into names. */
const COST_OF_A_CHARACTER = 3;

/** Matches if every path of the call matches and stays in the workspace. */
export function pathAllower(glob: LinearRegex): CompiledMatcher {
  return (part, { paths, effort }) => {
    if (part.kind === 'file') {
      if (part.path.dynamic) return no('the file is known only when the command runs');
      if (!part.plain) return no('its name is not plainly written');
      if (part.access === 'write' && isInGitFolder(part.path.text))
        return no('Git runs programs that files in .git name');
      return permits([part.path.text], glob, effort);
    }
    if (part.kind !== 'call') return no('a path says nothing about what a command does');
    return paths.length === 0 ? no('the call names no path') : permits(paths, glob, effort);
  };
}

function permits(paths: readonly string[], glob: LinearRegex, effort: Effort): Match {
  for (const path of paths) {
    effort.spend(path.length * COST_OF_A_CHARACTER);
    const { text, leaves } = toWorkspacePath(path);
    if (leaves) return no(`${text} may be outside of the workspace`);
    if (glob.covers(text, effort) !== true) return no(`${text} does not match`);
  }
  return yes(paths.length === 1 ? 'the path matches' : 'all paths match');
}

/**
 * Matches if any path of the call matches, or any word of a command that could be or contain a
 * path: `--file=x`, `@x`.
 */
export function pathForbidder(glob: LinearRegex): CompiledMatcher {
  return (part, { paths, effort }) => {
    switch (part.kind) {
      case 'call':
        return forbids(paths, glob, effort);
      case 'file':
        if (part.path.dynamic) return maybe('the file may turn out to be one that it names');
        return forbids([part.path.text], glob, effort);
      case 'command':
        return forbidsCommand(part, glob, effort);
      case 'unreadable':
        return forbidsText(part.source, glob, effort);
      case 'other': {
        const found = forbidsText(part.source, glob, effort);
        return part.opaque && found.matched === false ? RUNS_CODE : found;
      }
    }
  };
}

const TOO_LONG = maybe('the command is too long to look for paths');
const RUNS_CODE = maybe('the command may run code that can’t be read');

function forbidsText(source: string, glob: LinearRegex, effort: Effort): Match {
  const words = roughWords(source, effort);
  const found = forbids(
    words.flatMap(({ text }) => pathsIn(text)),
    glob,
    effort,
  );
  return found.matched === false && words.at(-1) === UNREAD ? TOO_LONG : found;
}

function forbidsCommand(
  { words, whole, unlisted, opaque }: CommandPart,
  glob: LinearRegex,
  effort: Effort,
): Match {
  effort.spend(words.length * COST_OF_A_WORD);
  const texts = words.map(({ text }) => text);
  const inCode = whole && !unlisted ? roughWords(texts.join(' '), effort) : [];
  const paths = [...texts, ...inCode.map(({ text }) => text)].flatMap(pathsIn);
  const found = forbids(paths, glob, effort);
  if (found.matched !== false) return found;
  if (opaque) return RUNS_CODE;
  if (inCode.at(-1) === UNREAD) return TOO_LONG;
  if (!words.some(({ dynamic }) => dynamic)) return found;
  return maybe('a word may turn out to be a path that it names');
}

function forbids(paths: readonly string[], glob: LinearRegex, effort: Effort): Match {
  const found = paths.find((path) => {
    effort.spend(path.length * COST_OF_A_CHARACTER);
    for (const name of possiblePaths(path)) if (isIn(name, glob, effort)) return true;
    return false;
  });
  return found === undefined ? no('no path matches') : yes(`${found} matches`);
}

/** True if the path matches. `secrets/**` includes the folder itself. */
function isIn(path: string, glob: LinearRegex, effort: Effort): boolean {
  return glob.covers(path, effort) !== false || glob.covers(`${path}/x`, effort) === true;
}

/** Characters that often stand before or behind a path: `-v .env:/x`, `:(top).env`, `a=<.env;b`. */
const SEPARATOR = /[=@:,;<()|"']/g;
const MAX_PIECES = 50;

/** The word itself, and what in it can be a path, also behind options: `-rf.env`. */
function pathsIn(word: string): string[] {
  const marks = [...word.matchAll(SEPARATOR)].slice(0, MAX_PIECES);
  const ends = marks.map(({ index }) => word.slice(index + 1));
  const pieces = marks.length > 0 ? word.split(SEPARATOR, MAX_PIECES + 1) : [];
  const [options = ''] = /^-[^-/\s][^/\s]{0,63}/.exec(word) ?? [];
  const attached = Array.from(options.slice(1), (_, at) => word.slice(at + 2));
  return [word, ...ends, ...pieces, ...attached].filter((path) => path !== '');
}
