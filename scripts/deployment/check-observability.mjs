import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ADMIN_KEY } from './admin-key.mjs';
import { expect, holds } from './holds.mjs';
import { inScratchFolder } from './in-scratch-folder.mjs';
import { freePort, start, until } from './processes.mjs';

const FOLDER = 'deploy/observability';
const HEADERS = {
  authorization: `Bearer ${ADMIN_KEY}`,
  accept: 'application/json',
  'content-type': 'application/json',
};
/** Of each, so that every panel has something to show. */
const MESSAGES = [
  ...['what is 6*7', 'write 50 words', 'fail', 'call mcp__away__read {}', 'word '.repeat(2_000)],
  ...['ask me which colour I like: red, green or blue', 'run `ls`'],
];
/** The rest, in a chat of its own, waits for people. */
const ENDING = 5;
/** As a server that is its own, with limits that are soon reached. */
const ENVIRONMENT = {
  ...{ ADMIN_KEY, AUTH: 'keys', MODEL: 'demo/script', STORE: 'file', LOG_LEVEL: 'error' },
  MODEL_PRICES: '{"demo/script": {"input": 1, "output": 1}}',
  ...{ GUARDRAIL_MAX_INPUT_TOKENS: '500', QUOTA_STARTS_PER_MINUTE: '20' },
  ...{ MAX_STREAMS_PER_INTERACTION: '1', SANDBOX: 'none' },
};

/**
 * A real Prometheus takes the alerts and scrapes a server under load; then each query of the
 * dashboard finds something. Says that it is left out where Prometheus is not installed.
 */
export async function checkObservability(folder) {
  if (isMissing('promtool') || isMissing('prometheus'))
    return console.log('left out: prometheus and promtool are not installed');
  await mkdir(folder, { recursive: true });
  for (const args of [
    ['check', 'rules', `${FOLDER}/alerts.yml`],
    ['test', 'rules', `${FOLDER}/alerts.test.yml`],
  ])
    await holds(`promtool ${args.join(' ')}`, () => promtool(args));
  const server = await startServer(folder);
  const prometheus = await startPrometheus(folder, server);
  await holds('Prometheus scrapes the server with a key, as prometheus.yml says', () =>
    until('it has no sample', async () => (await query(prometheus, 'up == 1')).length > 0),
  );
  await loadServer(server, prometheus);
  await holds('each query of the dashboard finds something', async () => {
    const empty = [];
    for (const { title, expr } of await queriesOf('dashboard.json'))
      if ((await query(prometheus, expr)).length === 0) empty.push(`${title}: ${expr}`);
    expect(empty.length === 0, `these find nothing:\n${empty.join('\n')}`);
  });
}

function isMissing(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status !== 0;
}

/** It ends with 0 where it is asked to test a file that has no tests. */
function promtool(args) {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  expect(status === 0, `${stdout}${stderr}`);
}

async function startServer(folder) {
  const port = await freePort();
  const mcp = join(folder, 'mcp.json');
  const away = { command: join(folder, 'no-such-program') };
  await writeFile(mcp, JSON.stringify({ mcpServers: { away } }));
  const env = { PATH: process.env.PATH, ...ENVIRONMENT, PORT: String(port), MCP_CONFIG: mcp };
  const options = { stdio: 'ignore', env: { ...env, DATA_DIR: join(folder, 'data') } };
  start(process.execPath, ['dist/programs/main.js'], options);
  const url = `http://127.0.0.1:${port}`;
  await until('the server does not answer', async () => {
    const answer = await fetch(`${url}/health/ready`).catch(() => undefined);
    return answer?.ok;
  });
  return { port, url };
}

/** With our prometheus.yml, in which only addresses, paths and times are others. */
async function startPrometheus(folder, server) {
  const key = join(folder, 'metrics-key');
  await writeFile(key, ADMIN_KEY);
  const text = await readFile(`${FOLDER}/prometheus.yml`, 'utf8');
  const config = join(folder, 'prometheus.yml');
  const rules = join(process.cwd(), FOLDER, 'alerts.yml');
  await writeFile(
    config,
    text
      .replace('/run/secrets/metrics-key', key)
      .replace('/etc/prometheus/alerts.yml', rules)
      .replace(/targets: .*/, `targets: ['127.0.0.1:${server.port}']`)
      .replaceAll(/interval: 15s/g, 'interval: 1s'),
  );
  const port = await freePort();
  start('prometheus', [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'prometheus')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=error',
  ]);
  return { url: `http://127.0.0.1:${port}` };
}

async function query({ url }, expr) {
  const body = new URLSearchParams({ query: expr.replaceAll('$__rate_interval', '1m') });
  const answer = await fetch(`${url}/api/v1/query`, { method: 'POST', body }).catch(
    () => undefined,
  );
  if (!answer || answer.status === 503) return []; // it is not ready yet
  const { data, error } = await answer.json();
  expect(error === undefined, `${expr}: ${error}`);
  return data.result.filter(({ value }) => value[1] !== 'NaN');
}

/** Twice, as some series begin with their first event, and Prometheus sees their growth only. */
async function loadServer(server, prometheus) {
  for (let round = 1; round <= 2; round++) {
    const starts = MESSAGES.map((message, n) =>
      post(server, `/chats/load-${round}-${n}/interactions`, message),
    );
    const ids = (await Promise.all(starts)).map(({ id }) => id);
    const ended = `sum(parley_interactions_ended_total) >= ${round * ENDING}`;
    await openTwoStreams(server, `/chats/load-${round}-${ENDING}/interactions/${ids[ENDING]}`);
    await until(`not all runs of round ${round} have ended`, async () => {
      return (await query(prometheus, ended)).length > 0;
    });
    await answerRequests(server);
  }
  await exceedQuota(server);
  const sums = ['parley_request_wait_seconds_count', 'parley_quota_refusals_total'];
  for (const sum of sums)
    await until(`${sum} stays 0`, async () => (await query(prometheus, `${sum} > 0`)).length > 0);
}

async function post({ url }, path, user_message) {
  const body = JSON.stringify({ user_message, on_disconnect: 'continue' });
  const answer = await fetch(url + path, { method: 'POST', headers: HEADERS, body });
  return answer.json();
}

/** Opens a second stream of an interaction that may have one: 503. */
async function openTwoStreams(server, interaction) {
  const events = `${server.url}${interaction}/events`;
  const controller = new AbortController();
  const { signal } = controller;
  const answers = await Promise.all(
    [1, 2].map(() =>
      fetch(events, { headers: { ...HEADERS, accept: 'text/event-stream' }, signal }),
    ),
  );
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  expect(statuses.join() === '200,503', `two streams are answered ${statuses}`);
  controller.abort();
}

/** Starts too many: 429. */
async function exceedQuota(server) {
  for (let n = 0, type; type !== '/problems/quota_exceeded'; n++) {
    expect(n < 50, 'no quota refuses the starts');
    ({ type } = await post(server, `/chats/more-${n}/interactions`, 'ask me: yes or no'));
  }
}

async function answerRequests({ url }) {
  const answer = await fetch(`${url}/requests?status=pending`, { headers: HEADERS });
  const { items } = await answer.json();
  for (const { id, kind, chat_id, interaction_id } of items) {
    const path = `${url}/chats/${chat_id}/interactions/${interaction_id}`;
    const [act, body] =
      kind === 'approval'
        ? ['approve', { approval_id: id, approved: true }]
        : ['respond', { request_id: id, answer: 'red' }];
    await fetch(`${path}/${act}`, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) });
  }
}

async function queriesOf(name) {
  const { panels } = JSON.parse(await readFile(`${FOLDER}/${name}`, 'utf8'));
  return panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  await inScratchFolder('parley-observability-', checkObservability);
