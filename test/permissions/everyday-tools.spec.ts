import { PermissionPolicy } from '../../src/permissions/policy/permission-policy.js';
import { judgeCommand, prefix } from './fixtures.js';

/** The rule that people write for a tool, and what they expect it to cover. */
const COVERED: Readonly<Record<string, string>> = {
  'git worktree list': 'git worktree list --porcelain',
  'git stash list': 'git stash list --date=relative ¦ git stash list | head -5',
  'git config --get': 'git config --get user.name ¦ git config --get remote.origin.url',
  'git config --list': 'git config --list --show-origin',
  'git blame': 'git blame -w -C src/main.ts',
  'git branch': "git branch --list 'feature/*' ¦ git branch -r --sort=-committerdate",
  'git show': 'git show --stat HEAD ¦ git show HEAD:src/main.ts | head -20',
  jq: `jq -r '.scripts | to_entries[] | .key' package.json ¦ jq --arg x 1 '.a[$x]' a.json`,
  'sed -n': `sed -n '1~2p' a.txt ¦ sed -n '/start/,/end/p' a.txt ¦ sed -n 's/[ \\t]*a/b/p' a.txt`,
  awk: `awk 'END{print NR}' a ¦ awk '{sum+=$1} END {print sum}' a ¦ awk '{print $1 "\\t" $2}' a
awk 'length > 100' a ¦ awk '!seen[$0]++' a ¦ awk '{printf "%s\\n", $1}' a ¦ awk '{n[$1]++}' a`,
  npm: 'npm -v ¦ npm --version ¦ npm test -- src/a.spec.ts ¦ npm run build --workspaces',
  'npm pkg get': 'npm pkg get version',
  'npm config get': 'npm config get registry',
  tsc: 'tsc --noEmit ¦ tsc -p tsconfig.json --noEmit ¦ tsc --version',
  'npx tsc': 'npx tsc --noEmit -p packages/a ¦ npx tsc --noEmit 2>&1 | head -30',
  eslint: 'eslint . ¦ eslint src --ext .ts,.tsx --max-warnings=0 ¦ eslint src/*.ts',
  'npx eslint': 'npx eslint src --quiet',
  prettier: 'prettier --check src ¦ prettier -c . ¦ prettier --list-different src',
  'pnpm exec prettier': 'pnpm exec prettier --check .',
  jest: 'jest src/a.spec.ts -t "adds two" ¦ jest --runInBand --silent',
  'yarn jest': 'yarn jest --listTests',
  'npx vitest run': 'npx vitest run src/a.spec.ts',
  pytest: `pytest -q ¦ pytest tests/test_a.py::test_b ¦ pytest -xvs --lf ¦ pytest -k 'foo and not bar' --tb=short`,
  'python -m pytest': 'python -m pytest -q tests ¦ python -m pytest --collect-only',
  'uv run pytest': 'uv run pytest -x',
  mypy: 'mypy src --strict',
  'ruff check': 'ruff check . --output-format=concise',
  'ruff format --check': 'ruff format --check .',
  'black --check': 'black --check --diff .',
  'go list': "go list ./... ¦ go list -m all ¦ go list -f '{{.Dir}}' ./...",
  'go test': 'go test -run TestFoo ./pkg/a ¦ go test -bench=. ./...',
  gofmt: 'gofmt -l . ¦ gofmt -d src',
  'cargo fmt --check': 'cargo fmt --check --all',
  'cargo test': 'cargo test foo::bar -- --nocapture --test-threads=1',
  'cargo clippy': 'cargo clippy --all-targets -- -D warnings',
  'cargo metadata': 'cargo metadata --format-version 1 --no-deps',
  'pip list': 'pip list --format=freeze ¦ pip list --outdated',
  'pip show': 'pip show requests',
  date: `date +%F ¦ date -u +%Y-%m-%dT%H:%M:%SZ ¦ date -d '2 days ago' +%F ¦ date --date=yesterday`,
  xxd: 'xxd a | head',
  printf: `printf '%s\\n' a ¦ printf '%5.1f%%\\n' 1 ¦ printf '%q %b\\n' a b`,
  lsof: 'lsof -i :3000',
  ss: 'ss -ltnp',
  'docker ps': `docker ps -a ¦ docker ps --format '{{.Names}}'`,
  'docker logs': 'docker logs --tail 100 app ¦ docker logs -f app',
  'docker compose ps': 'docker compose ps -a',
  'docker inspect': `docker inspect -f '{{.State.Status}}' app`,
  'kubectl get': `kubectl get pods ¦ kubectl get pods -A -o wide ¦ kubectl get deploy/x -n prod -o jsonpath='{.status}'`,
  'kubectl describe': 'kubectl describe pod x -n prod',
  'kubectl logs': 'kubectl logs -f deploy/x --tail=100',
  'gh pr view': 'gh pr view 12 --json title,body ¦ gh pr view 12 --comments',
  'unzip -l': 'unzip -l a.zip',
  shellcheck: 'shellcheck -s bash a.sh',
};

/** What the same rules do not cover: it runs or writes something else than one would expect. */
const ASKED: Readonly<Record<string, string>> = {
  'git worktree list': 'git worktree add ../x main',
  'git config --get': 'git config --get user.name --file=x ¦ git config user.name x',
  'git config': 'git config --get user.name ¦ git config core.pager ./x',
  npm: 'npm test -- --config x ¦ npm test -- -- -x ¦ npm pkg set scripts.test=x ¦ npm config set script-shell x',
  'npm pkg get': 'npm pkg set scripts.test=x',
  tsc: 'tsc @args ¦ tsc -p ../x ¦ tsc --outFile x ¦ tsc --outDir=x ¦ tsc --plugins x ¦ ./tsc --noEmit',
  npx: 'npx tsc --noEmit ¦ npx --yes tsc ¦ npx -c x',
  'npx tsc': 'npx tsc --outFile .git/config ¦ npx tsc -p /tmp/x',
  eslint:
    'eslint --fix src ¦ eslint -c x src ¦ eslint --rulesdir x ¦ eslint -f ./x.js src ¦ eslint ../x ¦ eslint -o x src',
  prettier: 'prettier --write src ¦ prettier --plugin=./x src ¦ prettier --config x src',
  jest: 'jest --config=x ¦ jest --globalSetup ./x ¦ jest -c x ¦ jest --outputFile=x ¦ jest -u ¦ jest --coverageDirectory=x',
  'npx vitest run': 'npx vitest run --config x ¦ npx vitest run --reporter=./x ¦ npx vitest init',
  pytest:
    'pytest -p x ¦ pytest -c x ¦ pytest @args ¦ pytest /tmp/x ¦ pytest ../x ¦ pytest --junitxml=x ¦ pytest --basetemp=src ¦ pytest -o addopts=x ¦ pytest -xp x',
  python: 'python -m pytest ¦ python -m http.server',
  'python -m': 'python -m pytest -q',
  mypy: 'mypy --python-executable ./x src ¦ mypy --config-file x src',
  'ruff check': 'ruff check --fix . ¦ ruff check --config x .',
  'ruff format': 'ruff format --check .',
  gofmt: 'gofmt -w . ¦ gofmt -lw . ¦ gofmt -cpuprofile x a.go',
  'go list': 'go list -toolexec ./x ./... ¦ go list -exec ./x',
  'cargo test': 'cargo test -- --logfile x ¦ cargo test --config x',
  'cargo clippy': 'cargo clippy --fix ¦ cargo clippy -- -C linker=x',
  'pip list': 'pip list --python ./x',
  date: 'date -s 12:00 ¦ date 010100002030 ¦ date -f secret ¦ date -r x',
  xxd: 'xxd a b ¦ xxd -r a b ¦ xxd - b',
  awk: `awk '{print > "f"}' a ¦ awk '{print $1 | "sh"}' a ¦ awk '{print length > "f"}' a ¦ awk '{getline x < "f"}' a
awk '{@f(1)}' a ¦ awk '{system("x")}' a ¦ awk '{n++; print | "sh"}' a ¦ awk 'END{close("x")}' a ¦ awk -v 'x=1' -f x ¦ awk '/a/{printf "x" > "f"}' a`,
  'sed -n': `sed -n '1~2w f' a ¦ sed -n 's/[\\t]/x/w f' a ¦ sed -n 's/[\\]/x/w f;s/a]/x/p' a ¦ sed -n '1a x␤w f' a ¦ sed -n '1a x\\␤y' a ¦ sed -n '1~2e x' a`,
  docker: 'docker ps ¦ docker -H ssh://x ps',
  'docker ps': 'docker ps; docker run x',
  'docker inspect': 'docker exec app ls ¦ docker cp a b',
  kubectl: 'kubectl get pods',
  'kubectl get':
    'kubectl get pods --kubeconfig=x ¦ kubectl get -f x ¦ kubectl get --raw /api ¦ kubectl exec x -- ls ¦ kubectl get pods --server=x',
  'gh pr view': 'gh pr view --web ¦ gh pr create',
  'unzip -l': 'unzip a.zip',
  make: 'make test ¦ make -j4 ¦ make -C sub',
  tar: 'tar -tf a.tar ¦ tar tf host:a',
  curl: 'curl -s localhost:3000/health',
  less: 'less a.txt',
};

const rows = (table: Readonly<Record<string, string>>): [rule: string, command: string][] =>
  Object.entries(table).flatMap(([rule, commands]) =>
    commands
      .split(/ ¦ |\n/)
      .map((command): [string, string] => [rule, command.replaceAll('␤', '\n')]),
  );

/** For what stands behind a pipe. */
const MORE = ['head'];

describe(PermissionPolicy.name, () => {
  it.each(rows(COVERED))('allows by a rule for %j: %j', (rule, command) => {
    const { decision, reason } = judgeCommand([prefix('allow', rule, ...MORE)], command);
    expect([decision, reason]).toEqual(['allow', reason]);
  });

  it.each(rows(ASKED))('asks in spite of a rule for %j: %j', (rule, command) => {
    const { decision, reason } = judgeCommand([prefix('allow', rule, ...MORE)], command);
    expect([decision, reason]).toEqual(['ask', reason]);
  });

  it('knows at least 60 commands of tools', () => {
    expect(rows(COVERED).length).toBeGreaterThanOrEqual(60);
  });

  it.each(['npx eslint src', 'python -m eslint', 'pnpm exec eslint .', 'docker ps eslint'])(
    'denies what a launcher runs: %j',
    (command) => {
      const rules = [prefix('deny', 'eslint'), prefix('allow', 'npx eslint', 'docker ps')];
      expect(judgeCommand(rules, command).decision).toBe('deny');
    },
  );
});
