/** A word of a command, after quotes are removed. */
export interface Word {
  /** All of it; of a dynamic one, what it certainly begins with. */
  readonly text: string;
  /** Known only when it runs: a variable, a substitution, a glob, braces. */
  readonly dynamic: boolean;
  /** Dynamic, and may become none or several words. */
  readonly splits: boolean;
  /** Written in pieces or with escapes (`r'm'`, `\rm`), as nobody has to. */
  readonly odd: boolean;
}

/** One simple command. */
export interface CommandPart {
  readonly kind: 'command';
  /** As it is written. */
  readonly source: string;
  readonly words: readonly Word[];
  /** How many words an allow rule has to name at least: those of `sudo`, and of what it runs. */
  readonly must_name: number;
  /** An allow rule has to name every word, because any further one could make it do something else. */
  readonly whole: boolean;
  /** It runs code that we can't read: it may turn out to be anything that a rule forbids. */
  readonly opaque: boolean;
  /** Another view of a part that is here too; it can forbid, not permit. */
  readonly shadow: boolean;
  /** Why no allow rule on commands can cover it: the end of a sentence that begins with the command. */
  readonly doubt?: string;
}

/** A file that a redirection opens. Reading is for rules that forbid only. */
export interface FilePart {
  readonly kind: 'file';
  readonly source: string;
  readonly path: Word;
  readonly access: 'read' | 'write';
}

/** Something that runs and is no command: an assignment, arithmetic. */
export interface OtherPart {
  readonly kind: 'other';
  readonly source: string;
  readonly doubt: string;
}

export type ScriptPart = CommandPart | FilePart | OtherPart;

/** What a shell would do with a text. */
export interface Script {
  readonly parts: readonly ScriptPart[];
  /** Why it can't be told what a shell would do: the end of a sentence that begins with the command. Then there are no parts. */
  readonly fault?: string;
}
