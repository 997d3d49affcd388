/** A program that runs the command in its arguments unchanged. */
export interface Wrapper {
  /** Options without a value: letters and long names. */
  readonly flags: readonly string[];
  /** Options with a value. */
  readonly values: readonly string[];
  /** Number of arguments before the command. */
  readonly operands?: number;
  /** True if it accepts `A=1` before the command. */
  readonly assignments?: boolean;
  /** True if its options remove variables, among them those that restrict programs or name them. */
  readonly removes?: boolean;
  /**
   * Gives the command more rights, or runs another program of that name: a rule that allows only
   * the command doesn't allow this.
   */
  readonly changes?: boolean;
  /** True if `sh` knows no `--` after it: the command has to follow at once. */
  readonly bare?: boolean;
  /** True if it adds arguments that are not known before run time. */
  readonly appends?: boolean;
  /** Options whose value is a placeholder that is replaced everywhere in the command. */
  readonly replaces?: readonly string[];
  /** Options that exclude those of `replaces`: beside one of them it may append after all. */
  readonly limits?: readonly string[];
  /** Long options whose value, if they have one, is attached. */
  readonly optional?: readonly string[];
}

/** The placeholder of `xargs --replace`. */
export const PLACEHOLDER = '{}';

/**
 * The known wrappers. Options are those that POSIX, GNU and BSD agree on; with any other option,
 * the command that runs can't be determined exactly.
 */
export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    flags: list('A b E H K k n P S', 'preserve-env set-home non-interactive stdin background'),
    values: list('u g p C r t T h D', 'user group prompt host chdir close-from'),
    assignments: true,
    changes: true,
  },
  doas: {
    flags: list('n L'),
    values: list('u C a'),
    changes: true,
  },
  env: {
    flags: list('- i v', 'ignore-environment debug'), // a `-` alone is `-i`
    values: list('u', 'unset'),
    assignments: true,
    removes: true,
  },
  timeout: {
    flags: list('f p v', 'preserve-status foreground verbose'),
    values: list('k s', 'kill-after signal'),
    operands: 1,
  },
  nice: { flags: [], values: list('n', 'adjustment') },
  ionice: { flags: list('t', 'ignore'), values: list('c n', 'class classdata') },
  nohup: { flags: [], values: [] },
  setsid: { flags: list('c f w', 'ctty fork wait'), values: [] },
  stdbuf: { flags: [], values: list('i o e', 'input output error') },
  time: { flags: list('p'), values: [] },
  command: { flags: list('p'), values: [], removes: true }, // `-p` is another PATH
  builtin: { flags: [], values: [] },
  exec: { flags: [], values: [], bare: true }, // `-a git-rm git log` runs `git rm`, `-l` a login shell
  busybox: { flags: [], values: [], changes: true },
  toybox: { flags: [], values: [], changes: true },
  xargs: {
    flags: list('0 r t x p', 'null no-run-if-empty verbose exit interactive'),
    values: list('n P L s d E a', 'max-args max-procs max-chars delimiter arg-file'),
    appends: true,
    replaces: list('I', 'replace'),
    limits: list('n L', 'max-args max-lines'),
    optional: list('replace', 'max-lines'),
  },
};

function list(...names: readonly string[]): string[] {
  return names.flatMap((words) => words.split(' '));
}
