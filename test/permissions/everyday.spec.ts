import { PermissionPolicy } from '../../src/permissions/policy/permission-policy.js';
import { judgeCommand, prefix } from './fixtures.js';

/** Rules that people give a coding agent, and commands that need no question then. */
const RULES = [
  prefix(
    'allow',
    ...['git log', 'git status', 'git diff', 'git show', 'git branch', 'git blame', 'git add'],
    ...['git commit', 'git checkout', 'git switch', 'git stash', 'git fetch', 'git pull'],
    ...[
      'git push',
      'git push origin',
      'git push -u origin',
      'git fetch origin',
      'git pull origin',
      'git rev-parse',
    ],
    ...['git ls-files', 'git grep', 'git clone', 'git remote', 'git tag', 'git describe'],
    ...['git merge-base', 'git cherry-pick', 'git reset', 'git restore', 'git shortlog'],
    ...['ls', 'cat', 'head', 'tail', 'wc', 'grep', 'rg', 'find', 'fd', 'sort', 'uniq', 'cut', 'tr'],
    ...['sed', 'awk', 'echo', 'printf', 'pwd', 'cd', 'which', 'command -v', 'type', 'file', 'stat'],
    ...['du', 'df', 'tree', 'diff', 'cmp', 'jq', 'mkdir', 'cp', 'mv', 'rm', 'touch', 'chmod'],
    ...['sleep', 'true', 'test', 'date', 'basename', 'dirname', 'realpath', 'nl', 'tac', 'xxd'],
    ...['npm test', 'npm run', 'npm ci', 'npm install', 'npm ls', 'npm view', 'npm outdated'],
    ...['pnpm test', 'yarn test', 'go test', 'go build', 'go vet', 'cargo test', 'cargo build'],
    ...['cargo check', 'make', 'make test', 'npx tsc --noEmit', 'npx prettier --check src'],
    ...['node --version', 'python --version', 'python3 -m pytest', 'python3 -m pytest -q'],
    ...['set', 'node dist/main.js', 'env', 'ps', 'id', 'whoami', 'uname', 'seq', 'md5sum'],
    ...['pytest', 'pytest -q', 'pytest -x -q tests', 'npx jest src/a.spec.ts', 'uptime', 'nproc'],
  ),
];

const COMMANDS = String.raw`
git log --oneline | head -20
git log --oneline -n 10
git log -5 --stat
git log -p -- src/main.ts
git log --since='2 weeks ago' --author="A B"
git log --graph --oneline --all
git log --format='%h %s' -n 20
git log --pretty=format:'%an %ae' | sort -u
git log main..HEAD
git log HEAD~3..HEAD --name-only
git log -S'needle' --oneline
git log --follow -- src/a.ts
git status
git status -sb
git status --porcelain
git status && git diff
git diff
git diff --stat
git diff HEAD~1 -- src
git diff --cached
git diff main...HEAD
git diff HEAD^ HEAD
git diff --name-only HEAD~2
git diff --no-color | cat
git show HEAD
git show HEAD:package.json
git show HEAD~2 --stat
git show stash@{0}
git show v1.0^{}
git show abc123 -- src/main.ts | head -100
git branch
git branch -a
git branch --show-current
git branch -vv
git blame -L 10,20 src/main.ts
git add -A
git add src test
git add .
git commit -m 'fix: a bug'
git commit -m "feat: something new"
git commit -am 'fix: a bug

With a body.'
git commit --amend --no-edit
git checkout main
git checkout -b feature
git checkout -- src/main.ts
git switch main
git switch -c feature
git stash
git stash list
git stash pop
git fetch
git fetch --all --prune
git fetch origin
git fetch origin main
git pull
git pull --rebase
git pull origin main
git push
git push origin HEAD
git push -u origin feature
git push --force-with-lease
git rev-parse HEAD
git rev-parse --abbrev-ref HEAD
git rev-parse --show-toplevel
git ls-files
git ls-files '*.ts' | wc -l
git ls-files | grep spec | head
git grep -n 'TODO'
git clone https://github.com/owner/name.git
git clone --depth 1 https://github.com/owner/name
git clone git@github.com:owner/name.git
git remote -v
git tag --list
git describe --tags
git merge-base main HEAD
git reset HEAD~1
git reset --hard HEAD
git restore --staged src
git cherry-pick abc123
git shortlog -sn
ls
ls -la
ls -la src test 2>/dev/null
ls src/*.ts
ls -R src | head -50
ls -t | head -1
ls node_modules/.bin | grep jest
ls /tmp
ls -d src/*/
cat package.json
cat a b | wc -l
cat src/main.ts src/app.ts
cat package.json | jq .scripts
cat -n src/main.ts | sed -n '10,20p'
cat src/*.ts | wc -l
cat README.md | head -50
cat .gitignore .prettierrc
cat tsconfig.json 2>/dev/null || echo none
head -50 src/main.ts
head -n 20 a.txt
tail -5 a.log
tail -n +10 a.txt
tail -n 100 a.log | grep -i error
wc -l src/*.ts
wc -l src/main.ts
wc -c < /dev/null
grep -rn "foo bar" src | head
grep -rn 'export class' src --include='*.ts'
grep -rn 'export class' src --include=*.ts
grep -E 'a|b' -r .
grep -rnE "(foo|bar)" src test
grep -c '' src/main.ts
grep -l TODO -r src
grep -v '^#' .env.example
grep -i error a.log | tail -20
grep -A 5 -B 5 'class Foo' src/main.ts
grep -rn foo . --exclude-dir=node_modules --exclude-dir=.git
grep -rn "it('" test | wc -l
grep -n '^export' src/*.ts
grep -oE '[a-z]+@[a-z]+' a.txt | sort | uniq -c | sort -rn | head
grep -q foo a.txt && echo yes || echo no
grep -rn '\$HOME' scripts
grep -rn 'a\|b' src
rg foo
rg -n 'foo bar' src
rg --files | head
rg -l TODO -g '*.ts'
rg -C3 'class Foo' src
rg -t ts 'import .* from' src
rg --hidden -n foo
find . -name '*.ts' -not -path './node_modules/*'
find . -type f -name "*.json" | head -20
find src -type d
find . -maxdepth 2 -type f
find src -name '*.spec.ts' | wc -l
find . -name '*.ts' -newer package.json
find . ! -path './.git/*' -type f
find . -type f -size +1M
find . -path ./node_modules -prune -o -name '*.ts' -print
find src -name '*.ts' -exec grep -l foo {} +
find src -name '*.ts' -exec wc -l {} ';'
find src -name '*.ts' -print0 | xargs -0 grep -n foo
find . -name '*.md' | xargs wc -l
find . -name '*.ts' | xargs grep -l foo | head
fd -e ts
fd main src
sort a.txt | uniq -c | sort -rn | head -5
sort -u a.txt
sort -t , -k 2 -n a.csv
cut -d: -f1 a.txt
cut -c 1-10 a.txt | sort
cut -d " " -f 1 a.txt
tr " " "_" < /dev/null
grep -c "  " a.txt
echo 'a b' | tr a-z A-Z
tr -d ' ' < /dev/null
sed -n '10,40p' file
sed -n 5p file
sed -n '/^class/,/^}/p' src/main.ts
sed -n '1,5p;10,15p' file
sed -n '$p' file
sed 's/foo/bar/' a.txt
sed -E 's/[0-9]+/N/g' a.txt
sed '1d' a.csv
sed -e 's/a/b/' -e 's|/x|/y|g' a.txt
cat a.txt | sed 's/^ *//' | sort
awk '{print $1}' a.txt
awk '{print $1, $NF}' a.txt
awk -F: '{print $1}' a.txt
awk -F ',' '{ print $2 }' a.csv
awk 'NR==10' a.txt
awk 'NR>=10 && NR<=20' a.txt
awk '/error/ {print $0}' a.log
ls -l | awk '{print $5}'
echo done
echo "done"; echo 'more'
echo a && echo b
printf '%s\n' a b
pwd
pwd && ls
cd src && npm test
cd src && ls -la && cd ..
cd /tmp && ls
cd packages/a; npm run build
which node npm
command -v git
command -v node && node --version
type node
file a.png
stat package.json
du -sh .
du -sh node_modules 2>/dev/null
df -h
tree -L 2
tree -I 'node_modules|dist' src
diff a.txt b.txt
diff -u a b | head -50
diff -rq dir1 dir2
jq . package.json
jq -r '.dependencies | keys[]' package.json
jq '.scripts.test' package.json
mkdir -p src/feature
mkdir a b && touch a/x b/y
cp a.txt b.txt
cp -r src backup
mv a.txt b.txt
mv src/old.ts src/new.ts
rm a.txt
rm -f dist/*.js
touch src/new.ts
chmod +x scripts/run.sh
sleep 1
sleep 1; ls
test -f package.json && echo yes
test -d node_modules || npm ci
basename src/main.ts .ts
realpath src
npm test
npm test 2>&1 | tail -20
npm test --silent
npm test -w packages/a
npm run build
npm run build 2>&1 | tail -5
npm run lint && npm run build
npm run test:unit
npm ci
npm ci --no-audit --no-fund
npm install --save-dev typescript
npm ls --depth=0
npm ls typescript
npm view typescript version
npm outdated || true
timeout 60 npm test
timeout 10s npm run build
timeout 120 npm test 2>&1 | tail -40
pnpm test
yarn test
go test ./...
go test -v -run TestFoo ./pkg/a
go test -race -count=1 ./...
go build ./...
go vet ./...
cargo test
cargo test --release
cargo build --release 2>&1 | tail -5
cargo check
make
make test
npx tsc --noEmit
npx tsc --noEmit && echo ok
npx tsc --noEmit 2>&1 | head -30
npx prettier --check src
node --version
node --version && npm run build
python --version
python3 -m pytest -q
pytest -q 2>&1 | tail -5
set -e
set -euo pipefail; npm test
set -e
npm run lint
npm test
node dist/main.js
nice -n 10 npm test
bash -c 'ls src && cat package.json'
bash -c "npm test 2>&1 | tail -5"
sh -c 'git status'
ps aux | grep node
whoami && id
uname -a
seq 1 10
md5sum a.txt
# What changed?
git status # and how
`;

/** One a line; a line that begins with a lower-case body or a blank line goes on. */
const MULTI_LINE = [
  "git commit -am 'fix: a bug\n\nWith a body.'",
  'set -e\nnpm run lint\nnpm test',
  '# What changed?\ngit status # and how',
  'cd src &&\n  npm test |\n  tail -5',
];
const LINES = COMMANDS.split('\n').filter(
  (line) =>
    line !== '' &&
    !MULTI_LINE.some((text) => text.includes('\n') && text.split('\n').includes(line)),
);

describe(PermissionPolicy.name, () => {
  const all = [...new Set([...LINES, ...MULTI_LINE])];

  it.each(all)('allows %j without a question', (command) => {
    const { decision, reason } = judgeCommand(RULES, command);
    expect([decision, reason]).toEqual(['allow', expect.any(String)]);
  });

  it('knows at least 200 of them', () => {
    expect(all.length).toBeGreaterThanOrEqual(200);
  });
});
