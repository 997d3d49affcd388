/**
 * Programs that run their arguments, in a language or on a host that is not parsed here. An allow
 * rule covers only exactly the command that it names, word by word.
 */
export const RUNS_ARGUMENTS: ReadonlySet<string> = new Set(
  `ssh mosh su runuser pkexec chroot unshare nsenter systemd-run script flock strace ltrace perf valgrind gdb lldb
  screen tmux at batch crontab expect watch parallel entr direnv nix-shell nix conda poetry pipenv uv tox
  docker podman nerdctl kubectl lxc vagrant
  awk gawk mawk nawk sed ed ex vi vim nvim emacs nano perl psql mysql sqlite3 osascript pwsh powershell cmd
  make gmake ninja just rake cmake zsh fish csh tcsh
  . source trap coproc alias enable complete bind mapfile readarray let
  declare typeset local readonly export read unset getopts compgen hash
  linux32 linux64 setarch start-stop-daemon
  tee dd taskset chrt unbuffer fakeroot firejail bwrap dbus-run-session cpulimit caffeinate`.split(
    /\s+/,
  ),
);

/**
 * Programs that run their first argument and pass the following ones to it. Options before it can
 * run anything.
 */
export const RUNS_FIRST_ARGUMENT: ReadonlySet<string> = new Set(
  `python python2 python3 pypy pypy3 node nodejs deno bun ruby php lua luajit Rscript tsx ts-node
  npx bunx pnpx uvx pipx`.split(/\s+/),
);

/**
 * Those programs of the two lists whose arguments are code, or are passed to a shell that is not
 * visible here.
 */
export const RUNS_CODE: ReadonlySet<string> = new Set(
  `ssh mosh su runuser pkexec script flock at batch expect watch parallel screen tmux gdb lldb
  perl osascript pwsh powershell cmd zsh fish csh tcsh trap mapfile readarray
  declare typeset local readonly export read unset getopts compgen hash
  linux32 linux64 setarch start-stop-daemon vi vim nvim emacs ed ex`.split(/\s+/),
);

/** Shells whose scripts can be parsed. */
export const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ksh', 'ash']);

/**
 * Options with which a program writes files or runs other programs. With one of them, an allow rule
 * has to name the whole command.
 */
export interface RiskyOptions {
  readonly short?: string;
  readonly long?: readonly string[];
  /** Literal words, such as `-delete`. */
  readonly words?: readonly string[];
}

export const GIT_OPTIONS: RiskyOptions = {
  long: words(
    'output exec upload-pack receive-pack ext-diff textconv open-files-in-pager extcmd config-env exec-path template config tool upload-archive',
  ),
};

export const RISKY_OPTIONS: Readonly<Record<string, RiskyOptions>> = {
  find: { words: words('-delete -fprint -fprint0 -fprintf -fls') },
  fd: { short: 'xX', long: words('exec exec-batch') },
  fdfind: { short: 'xX', long: words('exec exec-batch') },
  rg: { long: words('pre hostname-bin') },
  ag: { long: words('pager') },
  sort: { short: 'oT', long: words('output compress-program temporary-directory') },
  split: { long: words('filter') },
  tree: { short: 'o' },
  tar: {
    short: 'IF',
    long: words(
      'checkpoint-action to-command use-compress-program info-script new-volume-script rsh-command rmt-command',
    ),
  },
  zip: { short: 'T', long: words('unzip-command') },
  rsync: { short: 'e', long: words('rsh rsync-path') },
  scp: { short: 'oSF' },
  sftp: { short: 'oSFb' },
  curl: {
    short: 'oOKTDcJ',
    long: words(
      'output remote-name remote-name-all remote-header-name output-dir config upload-file dump-header cookie-jar trace trace-ascii stderr libcurl',
    ),
  },
  wget: {
    short: 'OeiPoa',
    long: words('use-askpass execute output-document config directory-prefix'),
  },
  man: { short: 'PH', long: words('pager html') },
  less: { short: 'oO', long: words('log-file LOG-FILE') },
  base64: { short: 'o', long: words('output') },
  openssl: { words: words('-out -engine -provider') },
  xxd: { short: 'r' },
  yq: { short: 'i', long: words('inplace') },
  printf: { short: 'v' },
  date: { short: 's', long: words('set') },
  test: { words: words('-v -R') },
  npm: { short: 'c', long: words('script-shell call node-options prefix userconfig globalconfig') },
  pnpm: { short: 'cC', long: words('shell-mode dir') },
  yarn: { long: words('cwd') },
  go: { words: words('-exec -toolexec -overlay') },
  cargo: { long: words('config') },
  jq: { short: 'L' },
};

/** Subcommands that run their arguments, and options that are risky only in one subcommand. */
export const RISKY_SUBCOMMANDS: Readonly<Record<string, Readonly<Record<string, true | string>>>> =
  {
    git: {
      bisect: true,
      submodule: true,
      'filter-branch': true,
      'for-each-repo': true,
      config: true,
      hook: true,
      alias: true,
      rebase: 'x',
      difftool: 'x',
      mergetool: true,
      grep: 'O',
      clone: 'cu',
      'ls-remote': 'u',
      archive: 'o',
      'format-patch': 'o',
      daemon: true,
      'remote-ext': true,
    },
    npm: { exec: true, x: true, config: true, set: true, explore: true, edit: true },
    pnpm: { exec: true, dlx: true, config: true },
    yarn: { exec: true, dlx: true, config: true },
    go: { run: true, generate: true, env: true },
    cargo: { run: true },
    bundle: { exec: true },
    gh: { alias: true, extension: true, config: true },
  };

function words(text: string): string[] {
  return text.split(' ');
}
