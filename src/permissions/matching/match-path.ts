import type { LinearRegex } from '../../matching/linear-regex.js';
import type { PermissionCall } from '../permission-call.js';
import type { CommandPart } from '../shell/script.js';
import type { CompiledMatcher } from './match.js';
import type { Match } from './match.js';
import { maybe, no, yes } from './match.js';
import { findPathInputs } from './path-inputs.js';
import { roughWords } from './rough-words.js';
import { possiblePaths, toWorkspacePath } from './workspace-path.js';

/** Matches if every path of the call matches and stays in the workspace. */
export function pathAllower(glob: LinearRegex): CompiledMatcher {
  return (part, { call }) => {
    if (part.kind === 'file') {
      if (part.path.dynamic) return no('the file is known only when the command runs');
      return permits([part.path.text], glob);
    }
    if (part.kind !== 'call') return no('a path says nothing about what a command does');
    const paths = pathsOf(call);
    return paths.length === 0 ? no('the call names no path') : permits(paths, glob);
  };
}

function permits(paths: readonly string[], glob: LinearRegex): Match {
  for (const path of paths) {
    const { text, leaves } = toWorkspacePath(path);
    if (leaves) return no(`${text} may be outside of the workspace`);
    if (glob.covers(text) !== true) return no(`${text} does not match`);
  }
  return yes(paths.length === 1 ? 'the path matches' : 'all paths match');
}

/**
 * Matches if any path of the call matches, or any word of a command that could be or contain a
 * path: `--file=x`, `@x`.
 */
export function pathForbidder(glob: LinearRegex): CompiledMatcher {
  return (part, { call }) => {
    switch (part.kind) {
      case 'call':
        return forbids(pathsOf(call), glob);
      case 'file':
        if (part.path.dynamic) return maybe('the file may turn out to be one that it names');
        return forbids([part.path.text], glob);
      case 'command':
        return forbidsCommand(part, glob);
      case 'unreadable':
        return forbids(
          roughWords(part.source).flatMap(({ text }) => pathsIn(text)),
          glob,
        );
      case 'other':
        return forbids(
          roughWords(part.source).flatMap(({ text }) => pathsIn(text)),
          glob,
        );
    }
  };
}

function forbidsCommand({ words, whole }: CommandPart, glob: LinearRegex): Match {
  const texts = words.map(({ text }) => text);
  const inCode = whole ? roughWords(texts.join(' ')).map(({ text }) => text) : [];
  const paths = [...texts, ...inCode].flatMap(pathsIn);
  const found = forbids(paths, glob);
  if (found.matched !== false || !words.some(({ dynamic }) => dynamic)) return found;
  return maybe('a word may turn out to be a path that it names');
}

function forbids(paths: readonly string[], glob: LinearRegex): Match {
  const found = paths.find((path) => possiblePaths(path).some((name) => isIn(name, glob)));
  return found === undefined ? no('no path matches') : yes(`${found} matches`);
}

/** True if the path matches. `secrets/**` includes the folder itself. */
function isIn(path: string, glob: LinearRegex): boolean {
  return glob.covers(path) !== false || glob.covers(`${path}/x`) === true;
}

/** The word itself, and the text after each character that often precedes a path. */
function pathsIn(word: string): string[] {
  const ends = [...word.matchAll(/[=@:,]/g)].slice(0, 10).map(({ index }) => word.slice(index + 1));
  const attached = /^-[A-Za-z]./.test(word) ? [word.slice(2)] : [];
  return [word, ...ends, ...attached].filter((path) => path !== '');
}

/** The paths of the input; for the tool `glob`, its pattern is also a path. */
function pathsOf({ tool_name, tool_input }: PermissionCall): string[] {
  const paths = findPathInputs(tool_input);
  const { pattern } = tool_input;
  return tool_name === 'glob' && typeof pattern === 'string' ? [...paths, pattern] : paths;
}
