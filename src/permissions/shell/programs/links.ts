import { COPIES } from './programs.js';
import type { CommandPart, ScriptPart, Word } from '../script.js';

/** Subcommands of Git that bring nothing into the working tree. */
const LEAVES_FILES: ReadonlySet<string> = new Set(
  `add annotate archive blame branch cat-file check-ignore cherry clean commit config count-objects
  describe diff diff-files diff-index diff-tree fetch for-each-ref fsck gc grep log ls-files
  ls-remote ls-tree merge-base mv name-rev push range-diff reflog remote rev-list rev-parse rm
  shortlog show show-branch show-ref status tag version whatchanged`.split(/\s+/),
);
const ALSO =
  /^(?:(?:checkout -b|switch -c|switch --create) \S+|stash (?:list|show|drop|clear)\b.*|worktree list|reset(?: (?!--?[hmk])\S+)*)$/s;
const LISTS: Readonly<Record<string, RegExp>> = { tar: /^-?[a-wyz]+$/i, unzip: /^-[ltvZ]/ };
const UNPACKS: ReadonlySet<string> = new Set(
  'tar bsdtar unzip 7z 7za 7zr cpio pax ar patch rsync'.split(' '),
);

/**
 * Marks the commands that would write through a symbolic link that a command before them brings: a
 * branch or an archive can hold a link to `.git`, and no word of the script shows it.
 */
export function markAfterLinks(parts: readonly ScriptPart[], script: string): ScriptPart[] {
  const first = parts.findIndex((part) => part.kind === 'command' && bringsLinks(part));
  if (first < 0) return [...parts];
  const from = script.includes('|') ? 0 : first + 1; // the commands of a pipeline run at once
  return parts.map((part, at) =>
    at >= from && part.kind === 'command' && writes(part) ? { ...part, after_links: true } : part,
  );
}

function bringsLinks({ words }: CommandPart): boolean {
  const [first, option] = words;
  const program = first ? nameOf(first) : '';
  if (program === 'git') return changesFiles(words.slice(1));
  if (!UNPACKS.has(program)) return false;
  const lists = Object.hasOwn(LISTS, program) ? LISTS[program] : undefined;
  return !(option && !option.dynamic && lists?.test(option.text));
}

function changesFiles(words: readonly Word[]): boolean {
  const [subcommand] = words;
  if (!subcommand) return false;
  const isKnown = !words.some(({ dynamic }) => dynamic);
  if (isKnown && ALSO.test(words.map(({ text }) => text).join(' '))) return false;
  return subcommand.dynamic || !LEAVES_FILES.has(subcommand.text);
}

/** Also behind a wrapper that the rule has to name. */
function writes({ words, must_name }: CommandPart): boolean {
  return [0, must_name - 1].some((at) => {
    const program = words[at] ? nameOf(words[at]) : '';
    return COPIES.has(program) || (program === 'git' && words[at + 1]?.text === 'clone');
  });
}

function nameOf({ text }: Word): string {
  return text.slice(text.lastIndexOf('/') + 1);
}
