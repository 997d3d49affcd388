import type { Word } from '../script.js';

/** Subcommands of Git that connect to another repository: their first operand. */
const CONNECTS: ReadonlySet<string> = new Set(['clone', 'fetch', 'ls-remote', 'pull', 'push']);
/** Options without a value. */
const FLAG =
  /^(?:-[46afnpqtuv]+|--(?:all|atomic|append|autostash|no-autostash|bare|delete|dry-run|ff|ff-only|no-ff|follow-tags|force|force-with-lease|force-if-includes|get-url|heads|no-checkout|no-edit|no-rebase|no-tags|no-verify|progress|prune|prune-tags|quiet|rebase|refs|set-upstream|single-branch|no-single-branch|squash|stat|symref|tags|unshallow|verbose)|--(?:depth|branch|shallow-since|jobs|filter|origin|sort|rebase|force-with-lease)=.*)$/;
/** Options with a value. */
const VALUE = /^(?:-b|-j|--branch|--depth|--jobs|--shallow-since|--filter|--sort)$/;
const URL =
  /^(?:(?:https?|ssh|git):\/\/(?:[\w.-]+@)?[A-Za-z0-9][\w.-]*(?::\d+)?\/[\w.~/+%-]*|[\w.-]+@[A-Za-z0-9][\w.-]*:[\w.~/+-]+)$/;

/** Indices of words. */
export interface Remote {
  /** The address of a remote that is certainly no folder. */
  readonly url?: number;
  /** A remote that can be a folder, whose files name programs that Git runs there. */
  readonly name?: number;
}

/** Finds the repository that a Git command connects to, if all of its options are known. */
export function findRemote(words: readonly Word[]): Remote | 'unclear' {
  if (!CONNECTS.has(words[1]!.text)) return {};
  let remote: number | undefined;
  for (let at = 2; at < words.length; at++) {
    const { text } = words[at]!;
    if (!text.startsWith('-')) remote ??= at;
    else if (VALUE.test(text)) at++;
    else if (!FLAG.test(text)) return 'unclear';
  }
  if (remote === undefined) return {};
  const { text, dynamic } = words[remote]!;
  return !dynamic && URL.test(text) ? { url: remote } : { name: remote };
}
