/**
 * Says where the time of a CPU profile went: `node bench/summarise-profile.mjs <file.cpuprofile>
 * [lines] [from]`, `from` in seconds after the start: later than what it takes to load and to warm
 * up. Shares are of the time that the process was not idle. `self` is spent in the function itself;
 * `with callees` includes what it called; a package's share includes the functions of node and of
 * the engine that it called, until another package's begins.
 */
import { readFile } from 'node:fs/promises';

const [path, lines = '25', from = '3'] = process.argv.slice(2);
const { nodes, samples, timeDeltas } = JSON.parse(await readFile(path, 'utf8'));

const byId = new Map(nodes.map((node) => [node.id, node]));
for (const node of nodes) for (const id of node.children ?? []) byId.get(id).parent = node;

const self = new Map();
const total = new Map();
const packages = new Map();
const files = new Map();
const natives = new Map();
let busy = 0;

for (const [id, time] of timePerNode()) {
  const node = byId.get(id);
  if (node.callFrame.functionName === '(idle)') continue;
  busy += time;
  const stack = stackOf(node);
  add(self, nameOf(node), time);
  for (const name of new Set(stack.map(nameOf))) add(total, name, time);
  const owner = stack.find(({ callFrame }) => packageOf(callFrame.url));
  const name = owner ? packageOf(owner.callFrame.url) : bareName(node);
  add(packages, name, time);
  if (!node.callFrame.url) add(natives, `${node.callFrame.functionName} for ${name}`, time);
  const own = stack.find(({ callFrame }) => isOurs(callFrame.url));
  if (own) add(files, shortUrl(own.callFrame.url), time);
}

print('Packages, with what they call of node', packages);
print('Our files, with what they call that is not ours', files);
print('Functions, self', self);
print('Native functions and garbage collection, by the package that called', natives);
print(
  'Our functions, with callees',
  only(total, (name) => / src\//.test(name)),
);

function timePerNode() {
  const times = new Map();
  let now = 0;
  samples.forEach((id, i) => {
    now += timeDeltas[i];
    if (now >= Number(from) * 1e6) add(times, id, timeDeltas[i]);
  });
  return times;
}

function stackOf(node) {
  const stack = [];
  for (let at = node; at; at = at.parent) stack.push(at);
  return stack;
}

function nameOf(node) {
  const { functionName, url, lineNumber } = node.callFrame;
  return url
    ? `${functionName || '(anonymous)'} ${shortUrl(url)}:${lineNumber + 1}`
    : functionName || '(anonymous)';
}

function bareName(node) {
  const { functionName, url } = node.callFrame;
  return url ? 'node' : functionName.startsWith('(') ? functionName : 'node';
}

function packageOf(url) {
  if (isOurs(url)) return `src/${/dist[^/]*\/src\/([^/]+)/.exec(url)?.[1] ?? ''}`;
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
}

function isOurs(url) {
  return /\/dist[^/]*\/src\//.test(url);
}

function shortUrl(url) {
  return url.replace(/^.*\/dist[^/]*\//, '').replace(/^.*node_modules\//, '');
}

function only(times, test) {
  return new Map([...times].filter(([name]) => test(name)));
}

function add(times, key, time) {
  times.set(key, (times.get(key) ?? 0) + time);
}

function print(title, times) {
  console.log(`\n${title} (of ${(busy / 1e6).toFixed(2)} s)`);
  const sorted = [...times].sort(([, a], [, b]) => b - a).slice(0, Number(lines));
  for (const [name, time] of sorted)
    console.log(`${((time / busy) * 100).toFixed(1).padStart(6)} %  ${name}`);
}
