/** A program that runs the command in its arguments, as it stands there. */
export interface Wrapper {
  /** Options without a value: letters and long names. */
  readonly flags: readonly string[];
  /** Options with one. */
  readonly values: readonly string[];
  /** Arguments before the command. */
  readonly operands?: number;
  /** Takes `A=1` before the command. */
  readonly assignments?: boolean;
  /** Gives the command more rights or another place: a rule that allows the command alone doesn't allow this. */
  readonly changes?: string;
  /** Adds arguments that are not known before it runs. */
  readonly appends?: boolean;
  /** Options whose value is a word that it replaces wherever it stands in the command. */
  readonly replaces?: readonly string[];
}

/** Options are those that POSIX, GNU and BSD agree upon; with any other, what runs can't be told exactly. */
export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    flags: list('A b E H K k n P S', 'preserve-env set-home non-interactive stdin background'),
    values: list('u g p C r t T h D', 'user group prompt host chdir close-from'),
    assignments: true,
    changes: 'runs a command with other rights',
  },
  doas: {
    flags: list('n L'),
    values: list('u C a'),
    changes: 'runs a command with other rights',
  },
  env: {
    flags: list('- i v', 'ignore-environment debug'), // a `-` alone is `-i`
    values: list('u', 'unset'),
    assignments: true,
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
  command: { flags: list('p'), values: [] },
  builtin: { flags: [], values: [] },
  exec: { flags: list('c l'), values: [] }, // `-a git-rm git log` runs `git rm`
  busybox: { flags: [], values: [] },
  toybox: { flags: [], values: [] },
  xargs: {
    flags: list('0 r t x p', 'null no-run-if-empty verbose exit interactive'),
    values: list('n P L s d E a', 'max-args max-procs max-lines max-chars delimiter arg-file'),
    appends: true,
    replaces: list('I', 'replace'),
  },
};

function list(...names: readonly string[]): string[] {
  return names.flatMap((words) => words.split(' '));
}
