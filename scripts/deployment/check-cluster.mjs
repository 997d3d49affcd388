import { StrictReader } from '../../dist/client/strict-reader.js';
import { Cluster } from './cluster.mjs';
import { FakeModel } from './fake-model.mjs';
import { ADMIN_KEY } from './admin-key.mjs';
import { expect, holds } from './holds.mjs';
import { until, within } from './processes.mjs';
import { StreamReader } from './stream-reader.mjs';

const PIECES = ['The first word ', 'of an answer ', 'that outlives ', 'a process.'];
const MIB = 1024 * 1024;
const CHAT = '/chats/deployment/interactions';

/** All of compose.yaml but its databases, as a client meets it. */
export async function checkCluster({ compose, image, folder }) {
  const model = await new FakeModel(PIECES).start();
  const cluster = new Cluster({ compose, image, folder, modelUrl: model.url });
  try {
    await holds('compose’s processes start, on tables that the task made', () => cluster.start());
    await holds('nobody gets in without a key', async () => {
      const { status } = await fetch(`${cluster.url}/chats`);
      expect(status === 401, `reading without a key answers ${status}`);
    });
    await checkWorkers(cluster);
    await checkStream(cluster, model);
    await holds('nginx and the server take bodies of the same size', () => compareLimits(cluster));
    await holds('every process ends with 0', async () => {
      const codes = await cluster.stop();
      expect(
        codes.every((code) => code === 0),
        `they end with ${codes.join()}`,
      );
    });
  } finally {
    model.goOn();
    await cluster.drop?.();
    await model.stop();
  }
}

async function checkWorkers(cluster) {
  await holds('workers tell how they are, and answer nothing else', async () => {
    for (const name of cluster.namesOf('worker')) {
      const { url } = cluster.containers.get(name);
      for (const path of ['/health/live', '/health/ready', '/metrics'])
        expect((await ask(url + path)).ok, `${name} doesn't answer ${path}`);
      const { type } = await (await ask(`${url}/chats`)).json();
      expect(type === '/problems/not_an_api', `${name} answers clients, with ${type}`);
    }
  });
}

async function checkStream(cluster, model) {
  const reader = new StrictReader();
  const stream = await holds('an answer comes through nginx word by word', async () => {
    const started = await post(cluster.url, { accept: 'text/event-stream' }, 'Say something.');
    expect(started.ok, `the start answers ${started.status}`);
    const first = new StreamReader(started, reader);
    const heard = first.read(() => reader.openText === PIECES[0]);
    await within(30_000, 'the first word', heard);
    return first;
  });
  await holds('so do heartbeats', async () => {
    const before = stream.heartbeats;
    const heard = stream.read(() => stream.heartbeats > before);
    await within(30_000, 'a heartbeat', heard);
  });
  await holds('what runs is a worker’s, and no API’s', () => expectRunning(cluster));
  const api = await findServing(cluster);
  await holds('the API that serves a stream is stopped, and ends it in order', async () => {
    const code = cluster.containers.get(api).stop();
    await within(30_000, 'the end of the stream', stream.read());
    expect((await code) === 0, `${api} ends with ${await code}`);
  });
  await holds('nobody notices while one API is away', () => useWithoutOne(cluster));
  await holds('the reader comes back with its cursor, and gets exactly the rest', async () => {
    const [{ interaction_id }] = reader.records;
    const headers = { 'last-event-id': reader.cursor };
    const again = await ask(`${cluster.url}${CHAT}/${interaction_id}/events`, { headers });
    expect(again.ok, `it gets a ${again.status}`);
    model.goOn();
    await within(30_000, 'the rest', new StreamReader(again, reader).read());
    expect(reader.done, 'the stream ends before the interaction does');
    const answer = reader.records.find(({ type }) => type === 'ANSWER')?.content;
    expect(answer === PIECES.join(''), `it reads ${answer}`);
    expect(reader.faults.length === 0, reader.faults.join('; '));
    const isResumed = reader.records.some(({ type }) => type === 'RESUMED');
    expect(!isResumed, 'the run was lost with a process that held none');
  });
  await holds('an API that is back is asked again', async () => {
    await cluster.up(api);
    const { port } = cluster.containers.get(api);
    const { length } = await cluster.nginx.log();
    await until(`nginx doesn't ask ${api}`, async () => {
      await (await ask(`${cluster.url}/chats`)).arrayBuffer();
      return (await cluster.nginx.log()).slice(length).includes(` from 127.0.0.1:${port} `);
    });
  });
}

async function expectRunning(cluster) {
  const working = async (name) => metricOf(cluster, name, 'parley_runs{state="working"}');
  const workers = await Promise.all(cluster.namesOf('worker').map(working));
  const apis = await Promise.all(cluster.namesOf('api').map(working));
  expect(workers.reduce((a, b) => a + b, 0) === 1, `workers run ${workers.join()}`);
  expect(
    apis.every((runs) => runs === 0),
    `APIs run ${apis.join()}`,
  );
}

async function findServing(cluster) {
  for (const name of cluster.namesOf('api'))
    if ((await metricOf(cluster, name, 'parley_streams')) > 0) return name;
  throw new Error('no API has the stream');
}

async function metricOf(cluster, name, series) {
  const { url } = cluster.containers.get(name);
  const lines = (await (await ask(`${url}/metrics`)).text()).split('\n');
  const line = lines.find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length) ?? 0);
}

async function useWithoutOne({ url }) {
  for (let n = 0; n < 6; n++) {
    const { status } = await ask(`${url}/chats`);
    expect(status === 200, `reading answers ${status}`);
    const chat = { id: `chat-${n}` };
    const headers = { 'content-type': 'application/json' };
    const made = await ask(`${url}/chats`, {
      method: 'POST',
      headers,
      body: JSON.stringify(chat),
    });
    expect(made.status === 201, `writing answers ${made.status}`);
  }
}

/** Nothing of it is a message, so what isn't too large is refused as invalid. */
async function compareLimits(cluster) {
  const headers = { 'content-type': 'application/json' };
  const send = async (to, size) => {
    const body = `{}${' '.repeat(size - 2)}`;
    return (await ask(to + CHAT, { method: 'POST', headers, body })).status;
  };
  const [api] = cluster.namesOf('api').map((name) => cluster.containers.get(name));
  for (const [size, status] of [
    [MIB, 400],
    [MIB + 1, 413],
  ])
    for (const to of [cluster.url, api.url]) {
      const answer = await send(to, size);
      expect(answer === status, `${to} answers ${answer} to ${size} bytes`);
    }
}

function post(url, headers, user_message) {
  return ask(url + CHAT, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ user_message }),
  });
}

/** As `fetch`, with the key of compose.yaml. */
function ask(url, { headers, ...options } = {}) {
  return fetch(url, { ...options, headers: { ...headers, authorization: `Bearer ${ADMIN_KEY}` } });
}
