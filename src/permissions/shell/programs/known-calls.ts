import type { Word } from '../script.js';

/** Commands by their first words, with the options that may follow. */
type Calls = Readonly<Record<string, string>>;

/** Calls that only look. */
const LOOKS: Calls = {
  'git worktree list': '--porcelain --verbose -v -z',
  ...sameFor(
    ['git config --get', 'git config --get-all', 'git config --list', 'git config -l'],
    '--global --local --system --show-origin --show-scope --name-only -z',
  ),
  'npm pkg get': '--json',
  'npm config get': '--json',
  'go list': '-m -json -f -deps -test -e -u -versions',
  gofmt: '-l -d -s -e',
  'cargo fmt --check': '--all --package -p --quiet -q',
  'cargo fmt -- --check': '',
  'cargo metadata': '--format-version --no-deps --offline --locked',
  ...sameFor(['pip list', 'pip show', 'pip freeze'], '--format --outdated --local -o -l -q'),
  'unzip -l': '-v -q',
  zipinfo: '-1 -l -v',
  shellcheck: '--shell --exclude --severity --format -s -e -S -f',
  lsof: '-i -n -P -p -t -u -c -a -s',
  ss: '-l -t -u -n -p -a -x -s -H -4 -6',
  netstat: '-t -l -n -p -u -a -r -i -s',
  'docker ps':
    '--all --quiet --filter --format --no-trunc --last --latest --size -a -q -f -n -l -s',
  'docker images': '--all --quiet --filter --format --no-trunc --digests -a -q -f',
  'docker inspect': '--format --size --type -f -s',
  'docker version': '--format -f',
  'docker compose ps': '--all --quiet --services --format --filter --status -a -q',
  ...sameFor(
    ['docker logs', 'docker compose logs'],
    '--follow --tail --since --until --timestamps --no-color --no-log-prefix -f -n -t',
  ),
  ...sameFor(
    ['kubectl get', 'kubectl describe', 'kubectl top', 'kubectl explain'],
    '--namespace --all-namespaces --output --selector --show-labels --sort-by --field-selector --no-headers --show-kind --containers --recursive -n -A -o -l -L',
  ),
  'kubectl logs':
    '--namespace --follow --tail --since --container --previous --timestamps --all-containers --prefix --selector -n -f -c -p -l',
  'kubectl version': '--client --output -o',
  'kubectl config current-context': '',
  'kubectl config get-contexts': '--no-headers --output -o',
  ...sameFor(
    ['gh pr list', 'gh pr view', 'gh pr diff', 'gh pr checks', 'gh issue list', 'gh issue view'],
    '--json --jq --limit --state --comments --author --label --name-only -q -L -s -c',
  ),
};

/** Calls that run what the project says. */
const CARGO =
  '--verbose --quiet --package --release --workspace --all --lib --bins --bin --tests --test --examples --all-targets --features --all-features --no-default-features --locked --offline --frozen --no-run --no-fail-fast --message-format -v -q -p -r';
const PROJECT: Calls = {
  'cargo test': `${CARGO} -- --nocapture --test-threads --ignored --include-ignored --exact --skip --show-output`,
  'cargo clippy': `${CARGO} -- -D -W -A -F`,
};

const NODE: Calls = {
  tsc: '--noEmit --project --pretty --skipLibCheck --strict --listFiles --version -p -v',
  eslint:
    '--ext --quiet --max-warnings --color --no-color --print-config --no-error-on-unmatched-pattern --version -v',
  prettier:
    '--check --list-different --log-level --ignore-unknown --no-color --version -c -l -u -v',
  jest: '--testNamePattern --runInBand --silent --verbose --listTests --passWithNoTests --onlyChanged --bail --maxWorkers --ci --forceExit --detectOpenHandles --coverage --runTestsByPath --selectProjects --no-coverage --colors --version -t -i -o -b -w',
  'vitest run':
    '--testNamePattern --silent --bail --passWithNoTests --coverage --project --version -t',
};

const PYTHON: Calls = {
  pytest:
    '--quiet --verbose --exitfirst --last-failed --failed-first --lf --ff --sw --stepwise --maxfail --tb --collect-only --co --durations --no-header --no-summary --disable-warnings --cov --color --version -q -v -x -s -l -k -m -n -ra -rA -rs',
  mypy: '--strict --pretty --show-error-codes --ignore-missing-imports --no-error-summary --version -V',
  'ruff check':
    '--select --ignore --diff --quiet --statistics --show-files --no-cache --output-format -q',
  'ruff format --check': '--diff --quiet -q',
  'black --check': '--diff --quiet --line-length -q -l',
};

const KNOWN_CALLS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [
    ...Object.entries({ ...LOOKS, ...PROJECT }),
    ...launched(NODE, ['', 'npx ', 'bunx ', 'pnpm exec ', 'yarn ']),
    ...launched(PYTHON, ['', 'python -m ', 'python3 -m ', 'uv run ', 'poetry run ']),
  ].map(([call, options]) => [call, new Set(options.split(' '))]),
);
/** In words. */
const LONGEST_CALL = 5;

/**
 * The number of words that a rule has to name, if the command is a call of these with known
 * options. Names and files that follow are those of the project: a tool would run the
 * configuration of another folder.
 */
export function findKnownCall(words: readonly Word[]): number | undefined {
  for (let count = Math.min(LONGEST_CALL, words.length); count > 0; count--) {
    const named = words.slice(0, count);
    const known = named.some(({ dynamic }) => dynamic)
      ? undefined
      : KNOWN_CALLS.get(named.map(({ text }) => text).join(' '));
    if (known) return words.slice(count).every((word) => isKnown(word, known)) ? count : undefined;
  }
  return undefined;
}

function isKnown({ text, dynamic, pattern }: Word, options: ReadonlySet<string>): boolean {
  if (!text.startsWith('-')) return isOperand(text) && (!dynamic || pattern !== undefined);
  if (dynamic) return false;
  if (options.has(text.replace(/=.*/s, ''))) return true;
  const letters = /^-([A-Za-z]+)$/.exec(text)?.[1] ?? '';
  return letters !== '' && Array.from(letters).every((letter) => options.has(`-${letter}`));
}

/** False for what leads out of the workspace, and for files with further arguments. */
function isOperand(text: string): boolean {
  return !/^[/~@]/.test(text) && !text.split('/').includes('..') && text !== '';
}

function sameFor(calls: readonly string[], options: string): Record<string, string> {
  return Object.fromEntries(calls.map((call) => [call, options]));
}

function launched(calls: Calls, launchers: readonly string[]): [string, string][] {
  return launchers.flatMap((launcher) =>
    Object.entries(calls).map(([call, options]): [string, string] => [launcher + call, options]),
  );
}
