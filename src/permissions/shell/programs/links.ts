import { COPIES } from './programs.js';
import type { CommandPart, ScriptPart, Word } from '../script.js';

/** Subcommands of Git that leave the files of the working tree as they are. */
const LEAVES_FILES: ReadonlySet<string> = new Set(
  `add annotate archive blame branch cat-file check-ignore cherry commit count-objects describe diff
  diff-files diff-index diff-tree fetch for-each-ref fsck gc grep log ls-files ls-remote ls-tree
  merge-base name-rev push range-diff reflog remote rev-list rev-parse rm shortlog show show-branch
  show-ref status tag version whatchanged`.split(/\s+/),
);
const NEW_BRANCH = /^(?:checkout -b|switch -c|switch --create) \S+$/;
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
  const program = words[0] ? nameOf(words[0]) : '';
  return UNPACKS.has(program) || (program === 'git' && changesFiles(words.slice(1)));
}

function changesFiles(words: readonly Word[]): boolean {
  const [subcommand] = words;
  if (!subcommand || NEW_BRANCH.test(words.map(({ text }) => text).join(' '))) return false;
  return subcommand.dynamic || !LEAVES_FILES.has(subcommand.text);
}

/** Also behind a wrapper that the rule has to name. */
function writes({ words }: CommandPart): boolean {
  return words.some((word, at) => {
    const program = nameOf(word);
    return COPIES.has(program) || (program === 'git' && words[at + 1]?.text === 'clone');
  });
}

function nameOf({ text }: Word): string {
  return text.slice(text.lastIndexOf('/') + 1);
}
