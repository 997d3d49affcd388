/** Spec files with a part of their own; `tests` has all others. */
const FOLDERS = {
  faults: 'test/faults/',
  cluster: 'test/e2e/on-cluster',
  stores: 'test/(e2e/(?!on-cluster)|contracts/|storage/)',
  console: 'test/console/',
  terminal: 'test/terminal/',
  permissions: 'test/permissions/',
  'cpu-budget': 'test/cpu-budget/',
};
const DATABASES = ['postgres', 'redis'];
const ALL = [...DATABASES, 'pgbouncer', 'bubblewrap', 'nginx', 'chromium', 'tmux'];
const CHAOS = ['node', 'chaos/run.mjs', '--seed', '1'];

/**
 * `what` is a line for people, `cpu_s` about what it takes, `services` are those of
 * `with-services.sh`, `commands` run one after the other until one fails.
 */
export const PARTS = [
  specs('faults', 1500, 'servers killed, stopped and starved', ALL),
  specs('cluster', 500, 'end-to-end suites on two API processes and two workers', ALL),
  specs('stores', 900, 'end-to-end suites, contracts and migrations on every store', ALL),
  specs('console', 400, 'the console in Chromium', [...DATABASES, 'chromium']),
  part(
    'terminal',
    150,
    'the terminal in tmux, and what its document shows',
    [...DATABASES, 'tmux'],
    [jest(FOLDERS.terminal), ['node', 'scripts/generate-terminal-doc.mjs', '--check']],
  ),
  specs('permissions', 350, 'shell rules against real shells', ['bubblewrap']),
  specs('cpu-budget', 250, 'requests of the worst shapes', DATABASES),
  part('tests', 900, 'all other spec files', ALL, [
    jest('--testPathIgnorePatterns', '/node_modules/', ...Object.values(FOLDERS)),
  ]),
  part('chaos', 300, 'one server killed 20 times under load', DATABASES, [
    [...CHAOS, '--kills', '20', '--minutes', '2'],
  ]),
  part('short-uptimes', 150, 'a server killed soon after each start', DATABASES, [
    [...CHAOS, '--short', '--store', 'file', '--kills', '15', '--minutes', '1'],
  ]),
  part('chaos-cluster', 400, 'processes of a cluster killed 10 times under load', DATABASES, [
    [...CHAOS, '--cluster', '--kills', '10', '--minutes', '3'],
  ]),
  part('soak', 100, 'memory, while clients come and go for a minute', DATABASES, [
    ['node', 'bench/soak.mjs', '--minutes', '1', '--store', 'file'],
  ]),
  part(
    'package',
    150,
    'what npm pack makes, as a dependency',
    ['node24'],
    [['sh', '-c', 'node scripts/check-package.mjs "$NODE_24"']],
  ),
  part(
    'deployment',
    150,
    'image, compose file, proxy and alerts',
    [...DATABASES, 'nginx'],
    [['node', 'scripts/check-deployment.mjs']],
  ),
  part(
    'examples',
    200,
    'each example with Parley as a dependency',
    ['chromium'],
    [['node', 'scripts/check-examples.mjs']],
  ),
  part(
    'node-24',
    60,
    'the built server and the demo on Node 24',
    ['node24'],
    [
      ['sh', '-c', '"$NODE_24" scripts/check-boot.mjs'],
      ['sh', '-c', '"$NODE_24" dist/programs/parley.js demo'],
    ],
  ),
];

function specs(name, cpu_s, what, services) {
  return part(name, cpu_s, what, services, [jest(FOLDERS[name])]);
}

function part(name, cpu_s, what, services, commands) {
  return { name, cpu_s, what, services, commands };
}

function jest(...args) {
  return ['env', 'TEST_ALL=1', 'node', 'scripts/test.mjs', '--ci', '--silent', ...args];
}
