const NODE_OPTIONS =
  '-s -d -D -P -g --silent --quiet --verbose --json --long --all --depth --if-present --ignore-scripts --save-dev --production --offline --prefer-offline --frozen-lockfile --no-audit --no-fund -v --version';

/**
 * Programs that run none of their arguments, and write no file, or only those that they are there
 * to write; `RISKY_OPTIONS` has the exceptions. For any other program an allow rule covers only
 * exactly the command that it names, unless the rule is open.
 */
export const PLAIN_PROGRAMS: ReadonlySet<string> = new Set(
  `ls dir vdir cat tac nl head tail wc grep egrep fgrep rg ag fd fdfind find cut tr paste comm join fold fmt
  column expand unexpand rev od hexdump strings sort shuf tsort tree jq iconv file base32 base64
  md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum cmp diff
  stat du df basename dirname realpath readlink pwd cd pushd popd dirs which type whoami id groups uname arch
  nproc uptime ps pgrep pidof free printenv getconf tty locale lscpu
  true false : exit set wait sleep seq factor echo expr test
  mkdir rmdir touch cp mv rm ln chmod`.split(/\s+/),
);

/** Programs that change files or rights where their arguments say, or go there. */
export const CHANGES_FILES: ReadonlySet<string> = new Set(
  words('cp mv ln mkdir rmdir touch rm chmod cd pushd'),
);

/** Programs that put content where their last argument says, or the option `-t`. */
export const COPIES: ReadonlySet<string> = new Set(words('cp mv ln'));

/** The same for subcommands of Git; `GIT_OPTIONS` and `RISKY_SUBCOMMANDS` have the exceptions. */
export const PLAIN_GIT: ReadonlySet<string> = new Set(
  `add annotate blame branch cat-file check-ignore checkout cherry cherry-pick clean clone commit count-objects
  describe diff diff-files diff-index diff-tree fetch for-each-ref fsck grep log ls-files ls-remote ls-tree merge
  merge-base mv name-rev pull push range-diff rebase reflog reset restore rev-list rev-parse revert rm
  shortlog show show-branch show-ref stash status switch tag version whatchanged`.split(/\s+/),
);

/**
 * Programs that run what the project says, with the options that add nothing to it. With any other
 * option, an allow rule covers only exactly the command that it names.
 */
export const KNOWN_OPTIONS: Readonly<Record<string, ReadonlySet<string>>> = {
  npm: new Set(words(`${NODE_OPTIONS} -w -ws --workspace --workspaces --omit --include`)),
  pnpm: new Set(words(`${NODE_OPTIONS} -r -w --recursive --filter --workspace-root`)),
  yarn: new Set(words(NODE_OPTIONS)),
  go: new Set(
    words(
      '-v -x -n -a -p -run -skip -bench -benchmem -count -short -race -cover -timeout -json -list -failfast -tags -parallel -cpu',
    ),
  ),
  cargo: new Set(
    words(
      '-v -q -p -r --verbose --quiet --package --release --workspace --all --lib --bins --bin --tests --test --examples --all-targets --features --all-features --no-default-features --locked --offline --frozen --no-run --no-fail-fast --message-format',
    ),
  ),
};

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
 * be code.
 */
export const RUNS_FIRST_ARGUMENT: ReadonlySet<string> = new Set(
  `python python2 python3 pypy pypy3 node nodejs deno bun ruby php lua luajit Rscript tsx ts-node
  npx bunx pnpx uvx pipx`.split(/\s+/),
);

/**
 * Programs of the two lists whose arguments are code, or are passed to a shell that is not visible
 * here.
 */
export const RUNS_CODE: ReadonlySet<string> = new Set(
  `ssh mosh su runuser pkexec script flock at batch expect watch parallel screen tmux gdb lldb
  perl osascript pwsh powershell cmd zsh fish csh tcsh trap mapfile readarray
  declare typeset local readonly export read unset getopts compgen hash
  alias enable complete bind let linux32 linux64 setarch start-stop-daemon vi vim nvim emacs ed ex`.split(
    /\s+/,
  ),
);

/**
 * The subcommands of npm that options and names may follow. It takes many names for each, and
 * shortened ones.
 */
export const PLAIN_NPM: ReadonlySet<string> = new Set(
  words(
    'install i add ci clean-install test t run run-script start stop restart ls list ll la outdated view info show audit why explain prune dedupe update up upgrade uninstall un remove rm unlink rebuild root bin prefix ping whoami search fund doctor pack version',
  ),
);

/** Options of npm whose value is the next word. */
export const NPM_VALUES: ReadonlySet<string> = new Set(
  words('-w --workspace --omit --include --depth'),
);

/** Programs that start a shell if they are given no other. */
export const START_SHELLS: ReadonlySet<string> = new Set(
  words('unshare chroot nsenter fakeroot setpriv'),
);

/** Shells whose scripts can be parsed. */
export const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'rbash', 'dash', 'ksh', 'ash']);

/**
 * Options with which a program writes files, reads files that a list names, or runs other
 * programs. With one of them, an allow rule has to name the whole command.
 */
export interface RiskyOptions {
  readonly short?: string;
  readonly long?: readonly string[];
  /** Literal words, such as `-delete`. */
  readonly words?: readonly string[];
  /** The beginning of a word that names a file with further arguments. */
  readonly list?: string;
  /** Code that reads files, or sets variables. */
  readonly code?: RegExp;
  /** True if words that are known only at run time may be these: they show little of a file. */
  readonly literal?: boolean;
}

export const GIT_OPTIONS: RiskyOptions = {
  long: words(
    'output exec show-signature upload-pack receive-pack ext-diff textconv open-files-in-pager extcmd config-env exec-path template config tool upload-archive unsafe-paths help separate-git-dir strategy',
  ),
  code: /^--(?:format|pretty)=.*%G|%\(signature/s, // runs gpg
};

/** Options of Git that name a file with paths. */
export const GIT_LISTS: RiskyOptions = { long: words('pathspec-from-file'), literal: true };

const CHECKS_SUMS: RiskyOptions = { short: 'c', long: words('check'), literal: true };
/** `@file` stands for the arguments in the file. */
const TAKES_LISTS: RiskyOptions = { list: '@' };

export const RISKY_OPTIONS: Readonly<Record<string, RiskyOptions>> = {
  ...sameFor('cp mv ln', { short: 'S', long: words('suffix'), literal: true }), // `x.gi` and `t`
  find: { words: words('-delete -fprint -fprint0 -fprintf -fls -files0-from') },
  fd: { short: 'xXl', long: words('exec exec-batch list-details') },
  fdfind: { short: 'xXl', long: words('exec exec-batch list-details') },
  rg: { short: 'z', long: words('pre hostname-bin search-zip') },
  ag: { short: 'z', long: words('pager search-zip') },
  shuf: { short: 'o', long: words('output') },
  du: { short: 'X', long: words('files0-from exclude-from') },
  iconv: { short: 'o', long: words('output') },
  file: {
    short: 'CmfzZ',
    long: words('compile magic-file files-from uncompress uncompress-noreport'),
  },
  wc: { long: words('files0-from'), literal: true },
  diff: { short: 'l', long: words('paginate'), literal: true },
  ...sameFor('md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum', CHECKS_SUMS),
  sort: {
    short: 'oT',
    long: words('output compress-program temporary-directory files0-from random-source'),
  },
  split: { long: words('filter') },
  ...sameFor(
    'strings nm objdump readelf size ar objcopy strip ld as gcc g++ cc c++ clang clang++ javac java rustc 7z 7za',
    TAKES_LISTS,
  ),
  cpio: { short: 'op', long: words('create pass-through') },
  tree: { short: 'oR' },
  tar: {
    short: 'IFT',
    long: words(
      'files-from checkpoint-action to-command use-compress-program info-script new-volume-script rsh-command rmt-command',
    ),
  },
  zip: { short: 'T@', long: words('unzip-command') },
  rsync: { short: 'e', long: words('rsh rsync-path files-from') },
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
    long: words('use-askpass execute output-document config directory-prefix input-file'),
  },
  man: { short: 'PH', long: words('pager html') },
  less: { short: 'oO', long: words('log-file LOG-FILE') },
  base64: { short: 'o', long: words('output') },
  openssl: { words: words('-out -engine -provider') },
  xxd: { short: 'r' },
  yq: { short: 'i', long: words('inplace') },
  date: { short: 's', long: words('set') },
  test: { words: words('-v -R') },
  wait: { short: 'p' },
  npm: { short: 'c', long: words('script-shell call node-options prefix userconfig globalconfig') },
  pnpm: { short: 'cC', long: words('shell-mode dir') },
  yarn: { long: words('cwd') },
  go: { words: words('-exec -toolexec -overlay') },
  cargo: { long: words('config') },
  jq: {
    short: 'Lf',
    long: words('library-path from-file'),
    code: /(?<![\w."$@])(?:import|include)\b/,
  },
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
      rebase: 'xs',
      difftool: 'x',
      mergetool: true,
      grep: 'O',
      clone: 'cu',
      merge: 's',
      pull: 's',
      'cherry-pick': 's',
      revert: 's',
      'ls-remote': 'u',
      archive: 'o',
      'format-patch': 'o',
      daemon: true,
      'remote-ext': true,
    },
    npm: {
      exec: true,
      x: true,
      init: true,
      create: true,
      config: true,
      set: true,
      explore: true,
      edit: true,
      help: true,
      'help-search': true,
      docs: true,
      home: true,
      repo: true,
      bugs: true,
      pkg: true,
    },
    ...sameFor('pnpm yarn', {
      exec: true,
      dlx: true,
      create: true,
      init: true,
      config: true,
      c: true,
      set: true,
      env: true,
      node: true,
      plugin: true,
      policies: true,
      global: true,
      import: true,
      setup: true,
    }),
    go: { run: true, generate: true, env: true },
    cargo: { run: true, help: true },
    bundle: { exec: true },
    gh: { alias: true, extension: true, config: true },
  };

function words(text: string): string[] {
  return text.split(' ');
}

function sameFor<T>(programs: string, options: T): Record<string, T> {
  return Object.fromEntries(words(programs).map((program) => [program, options]));
}
