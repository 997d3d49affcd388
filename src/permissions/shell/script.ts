/** A word of a command, after quotes are removed. */
export interface Word {
  /** The whole word; for a dynamic word, its certain prefix. */
  readonly text: string;
  /** True if the word is known only at run time: a variable, a substitution, a glob, braces. */
  readonly dynamic: boolean;
  /** True if the word is dynamic and may expand to none or several words. */
  readonly splits: boolean;
  /** The word as it is written, if it has wildcards and is dynamic for no other reason. */
  readonly pattern?: string;
}

/** True if nothing is known of the last name of a path: `$x`, `/b?n/rm`. */
export function isNameUnknown({ dynamic, pattern }: Word): boolean {
  if (!dynamic || pattern === undefined) return dynamic;
  return pattern.slice(pattern.search(/[*?[]/)).includes('/');
}

/** Simple command of a script. */
export interface CommandPart {
  readonly kind: 'command';
  /** The source text. */
  readonly source: string;
  readonly words: readonly Word[];
  /**
   * Minimum number of words that an allow rule has to name: for example `sudo` and the command that
   * it runs.
   */
  readonly must_name: number;
  /**
   * True if an allow rule has to name every word, because any further word could change the effect
   * of the command.
   */
  readonly whole: boolean;
  /** True if that is only because the program is not known: its arguments need not be code. */
  readonly unlisted: boolean;
  /**
   * True if the command runs code that can't be parsed: the code could be anything that a rule
   * forbids.
   */
  readonly opaque: boolean;
  /** True for another view of a part that is also in the list; it can forbid but not permit. */
  readonly shadow: boolean;
  /**
   * True if a command before it can have brought a link, through which it would write elsewhere. An
   * allow rule has to name every word.
   */
  readonly after_links?: boolean;
  /** A sentence: the reason why no allow rule on commands can cover it. */
  readonly doubt?: string;
}

/** A file that a redirection opens. Files that are only read matter only to rules that forbid. */
export interface FilePart {
  readonly kind: 'file';
  readonly source: string;
  readonly path: Word;
  /** True if its word means the same to every shell. */
  readonly plain: boolean;
  readonly access: 'read' | 'write';
}

/** Something that runs but is not a command: an assignment, a test, arithmetic. */
export interface OtherPart {
  readonly kind: 'other';
  readonly source: string;
  /** True if it can run code that can't be parsed: the code could be anything that is forbidden. */
  readonly opaque: boolean;
  /** A sentence: its effect. */
  readonly doubt: string;
}

export type ScriptPart = CommandPart | FilePart | OtherPart;

/** The effect of a text in a shell. */
export interface Script {
  readonly parts: readonly ScriptPart[];
  /**
   * The reason why the effect is unknown: the end of a sentence that begins with the command. In
   * this case there are no parts.
   */
  readonly fault?: string;
}

/**
 * The effect of a script in a shell can't be determined. The message is the end of a sentence that
 * begins with the command.
 */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
