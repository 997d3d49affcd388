import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Programs that write down how they were called and do nothing else. */
const ONLY_LOGGED = words(
  `ls cat head tail wc grep egrep cut tr tee cp mv rm ln mkdir rmdir touch chmod jq rg curl wget sudo
  doas make node python python3 perl awk ed vi vim man less ssh tar evil pwned sleep date file sum
  echo printf test [ true false pwd kill id which diff stat basename tsc eslint jest yarn a b x
  nroff time`,
);

/** Programs that write down how they were called and go on as the real ones. */
const REAL = words(
  'sh dash bash env xargs find timeout nice nohup stdbuf sort sed uniq shuf ionice',
);

/** `git` and `npm`, as far as arguments make them run or write something. */
const GIT = String.raw`
command=$1
case $command in
  help) man git ;;
  -c*|--exec-path=*|--config-env*|-C|--git-dir*|--work-tree*) pwned "$command" ;;
  checkout) [ ! -e .git/hooks/post-checkout ] || pwned post-checkout ;;
esac
for word; do
  case "$command $before" in 'log --output'|'diff --output') : > "$word" ;; esac
  before=$word
  case "$command $word" in
    *' --') break ;;
    *' --help') man "git-$command" ;;
    'log --output='*|'diff --output='*) : > "$(printf %s "$word" | sed 's/[^=]*=//')" ;;
    'log --ext-diff'|'diff --ext-diff'|'grep -O'*) pwned "$word" ;;
  esac
  case $word in --upload-pack*|--receive-pack*|--exec*) pwned "$word" ;; esac
  case $word in -*) continue ;; esac
  operands=x$operands
  case $command$operands in pushxx|fetchxx|pullxx|clonexx) [ ! -d "$word" ] || pwned receive-pack ;; esac
done
`;
const NPM = String.raw`
for word; do
  case $word in
    --) break ;;
    --sc*|--node-o*|--use*|--globalc*|--prefix*|-C*|--node-g*|--git*|--shell*) pwned "$word" ;;
  esac
done
`;

/**
 * They read a line, which shows where their input comes from. A script may run what they print, or
 * take it for arguments.
 */
const OUTPUT = String.raw`read -r line; echo '--output=pwned -exec ;'; echo 'a[$(pwned)]'; echo pwned`;

/**
 * Makes a folder of programs for a `PATH`. Each appends a record to the log: the number of its
 * arguments, its name, its arguments, each with a NUL behind it.
 */
export function writeLoggingPrograms(folder: string, log: string): void {
  mkdirSync(folder);
  const write = (name: string, rest: string) => {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\nprintf '%s\\0' "$#" "\${0##*/}" "$@" >> '${log}'\n${rest}\n`);
    chmodSync(path, 0o755);
  };
  for (const name of ONLY_LOGGED) write(name, OUTPUT);
  write('git', GIT + OUTPUT);
  write('npm', NPM + OUTPUT);
  write('setsid', 'exec "$@"'); // in the same process group, which is killed at the end
  for (const name of REAL) write(name, `exec ${findProgram(name)} "$@"`);
}

/** @throws Error */
export function findProgram(name: string): string {
  const folders = (process.env['PATH'] ?? '').split(':');
  const path = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  if (path === undefined) throw new Error(`There is no ${name} in PATH.`);
  return path;
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
