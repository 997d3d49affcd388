/**
 * Scripts that run what an ordinary reader overlooks: `touch` or `pwned`, a hook of Git, or a file
 * that a program was made to write.
 */
export const TRICKS: readonly (readonly [title: string, ...scripts: string[]])[] = [
  [
    'escapes in $’…’ that Bash decodes in its own way',
    String.raw`find . -maxdepth 0 $'\x{2d}exec' touch pwned ';'`,
    String.raw`find . -maxdepth 0 $'\U0000002dexec' touch pwned ';'`,
    String.raw`find . -maxdepth 0 $'-exec\0foo' touch pwned ';'`,
    String.raw`git log -1 --format=%s $'\x{2d}-output=pwned'`,
    String.raw`find . -maxdepth 0 $'\055exec' touch pwned $'\073'`,
  ],
  [
    'backticks in backticks',
    'ls `ls \\`touch pwned\\``',
    'ls `ls "\\$(touch pwned)"`',
    'ls "`ls \\`touch pwned\\``"',
  ],
  [
    'prompts that run what a variable holds',
    "for x in '$(touch pwned)'; do for y in ${x@P}; do ls; done; done",
    "for x in '$(touch pwned)'; do cat < ${x@P}; done",
    "for x in '$(touch pwned)'; do cat <<E\n${x@P}\nE\ndone",
    "for x in '$(touch pwned)'; do cat <<< ${x@P}; done",
    "for x in '$(touch pwned)'; do case ${x@P} in *) ls;; esac; done",
  ],
  ['backticks in a here-document', 'cat <<E\n${x:-`touch pwned`}\nE', 'cat <<E\n`touch pwned`\nE'],
  [
    'tests that calculate',
    "for x in '-v a[$(touch${IFS}pwned)]'; do [ $x ] && ls; done",
    "ls '-v a[$(touch${IFS}pwned)]'; [ $_ ]",
    "[ -v 'a[$(touch pwned)]' ] || ls",
    "[[ 'a[$(touch pwned)]' -eq 1 ]] || ls",
  ],
  [
    'positional parameters and functions',
    "bash -c '[ $1 ]; ls' x '-v a[$(touch${IFS}pwned)]'",
    "ls() { [ $1 ]; }; ls '-v a[$(touch${IFS}pwned)]'",
    'ls() { touch pwned; }; ls',
    "bash -c '$0 pwned' touch",
  ],
  [
    'descriptors with names',
    "for i in 'a[$(touch pwned)]'; do ls {b[i]}>/dev/null; done",
    "for i in 'a[$(touch pwned)]'; do {b[i]}>/dev/null ls; done",
  ],
  [
    'options with values that need not follow',
    'ls | xargs --replace touch ls pwned',
    'ls | xargs --max-lines touch ls pwned',
    'ls | xargs -i touch ls pwned',
    'ls | xargs -l touch ls pwned',
  ],
  [
    'find with a plus that ends nothing',
    "find . -maxdepth 0 -exec npm test + --script-shell=./evil.sh ';'",
  ],
  [
    'shells that read other than Bash',
    `sh -c 'ls $'"'\\'; touch pwned; #'"`,
    `sh -c 'ls $'"'\\'; touch pwned # '"`,
  ],
  [
    'wait and other builtins that set what they are told',
    "sleep 1 & wait -n -p 'a[$(touch pwned)]'",
    "printf -v 'a[$(touch pwned)]' x",
    "read 'a[$(touch pwned)]' <<< 1",
    "test -v 'a[$(touch pwned)]'",
  ],
  ['manuals', 'git log --help', 'git status --help', 'git diff --help'],
  [
    'the folder of Git',
    'cp -t.git/hooks post-checkout; git checkout -q other',
    'cp config sr*/../.git/config; git diff',
    'mv config sr*/../.git/config; git diff',
    'for f in /../.git/hooks/post-checkout; do cp e.sh src$f; done; git checkout -q other',
    'rm -r .git/hooks; git clone -q ev .git/hooks; git checkout -q other',
    'git push ev HEAD:refs/heads/x',
    'git fetch ./ev',
  ],
];
