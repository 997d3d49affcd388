import { setTimeout as delay } from 'node:timers/promises';
import { FakeUpstream } from './fake-upstream.mjs';
import { expect, holds } from './holds.mjs';
import { startNginx } from './nginx.mjs';
import { until, within } from './processes.mjs';

const MIB = 1024 * 1024;

/** nginx by itself, in front of servers that note what they get. */
export async function checkProxy(folder) {
  const heard = [];
  const upstreams = [await FakeUpstream.start(heard), await FakeUpstream.start(heard)];
  const ports = upstreams.map(({ port }) => port);
  const nginx = await startNginx({ folder, upstreams: ports });
  const world = { url: nginx.url, log: nginx.log, upstreams, heard };
  for (const [what, check] of Object.entries(CHECKS)) {
    heard.length = 0;
    await holds(`nginx ${what}`, () => check(world));
  }
  await nginx.stop();
  await Promise.all(upstreams.map((upstream) => upstream.stop()));
}

const CHECKS = {
  'hands on what clients say, over HTTP/1.1': async ({ url }) => {
    const said = {
      ...{ 'last-event-id': '7~1b0.3', 'idempotency-key': 'order-17', 'x-request-id': 'mine' },
      ...{ accept: 'application/json', 'content-type': 'application/json' },
    };
    const answer = await fetch(`${url}/echo`, { method: 'POST', headers: said, body: '{}' });
    const { headers, httpVersion, bytes } = await answer.json();
    for (const [name, value] of Object.entries(said))
      expect(headers[name] === value, `${name} arrives as ${headers[name]}`);
    expect(headers.host === new URL(url).host, `Host arrives as ${headers.host}`);
    expect(headers['x-forwarded-for'] === '127.0.0.1', 'nobody knows whom it is from');
    expect(headers['x-forwarded-proto'] === 'http', 'nobody knows that it came by HTTP');
    expect(httpVersion === '1.1' && bytes === 2, `it came by ${httpVersion}, with ${bytes} bytes`);
    expect(!/close/.test(headers.connection), 'each request has a connection of its own');
  },
  'keeps connections to servers': async ({ url, upstreams }) => {
    for (const { sockets } of upstreams) sockets.clear();
    for (let n = 0; n < 12; n++) await (await fetch(`${url}/echo`)).json();
    const used = upstreams.reduce((sum, { sockets }) => sum + sockets.size, 0);
    expect(used <= 6, `12 requests took ${used} connections`);
  },
  'lets each event through as it comes, plain, and tells the server who leaves': async ({
    url,
    upstreams,
  }) => {
    const leaving = new AbortController();
    const headers = { accept: 'text/event-stream', 'accept-encoding': 'gzip' };
    const answer = await fetch(`${url}/events`, { headers, signal: leaving.signal });
    expect(answer.headers.get('content-encoding') === null, 'the stream is compressed');
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    const first = await within(30_000, 'the first event', reader.read());
    expect(first.value === 'data: first\n\n', `it begins with ${first.value}`);
    for (const upstream of upstreams) upstream.more();
    const second = await within(30_000, 'the second event', reader.read());
    expect(second.value === 'data: second\n\n', `it goes on with ${second.value}`);
    const server = upstreams.find(({ requests }) => requests.at(-1)?.url === '/events');
    leaving.abort();
    await within(30_000, 'hearing that the reader has left', server.left);
  },
  'keeps nothing in store, so that a server feels who is slow': async ({ url, upstreams }) => {
    const { body } = await fetch(`${url}/flood`);
    const flooded = upstreams.map((upstream) => upstream.flooded).find(Boolean);
    const isTaken = await Promise.race([flooded, delay(1000, false)]);
    await body.cancel();
    expect(!isTaken, 'it takes from the server what the reader does not take');
  },
  'takes bodies as large as the server does': async ({ url }) => {
    const send = (path, size) =>
      fetch(url + path, { method: 'POST', body: Buffer.alloc(size, 32) });
    expect((await send('/echo', MIB)).ok, '1 MiB is refused');
    expect((await send('/chats/import', 3 * MIB)).ok, 'a session log of 3 MiB is refused');
    const refused = await send('/echo', MIB + 1);
    await expectProblem(refused, { status: 413, type: '/problems/body_too_large' });
  },
  'keeps metrics from the outside': async ({ url, heard }) => {
    for (const path of ['/metrics', '/METRICS/', '/%6detrics'])
      await expectProblem(await fetch(url + path), { status: 404, type: '/problems/not_found' });
    expect(heard.length === 0, 'a server was asked');
  },
  'asks another server to read when one hangs up': async ({ url, heard }) => {
    const answer = await fetch(`${url}/drop/once`);
    expect(answer.ok && heard.length === 2, `${answer.status} after ${heard.length} requests`);
  },
  'logs no query, which may have a ticket': async ({ url, log }) => {
    for (const path of ['/echo', '/drop'])
      await fetch(`${url}${path}?ticket=hush-${path.slice(1)}`);
    await until('nginx logs nothing', async () => (await log()).includes('"GET /drop" 502'));
    expect(!(await log()).includes('hush'), 'the log has the ticket');
  },
  'never sends a POST twice': async ({ url, heard }) => {
    const answer = await fetch(`${url}/drop`, { method: 'POST', body: '{}' });
    await expectProblem(answer, { status: 502, type: '/problems/no_answer' });
    expect(heard.length === 1, `it was heard ${heard.length} times`);
  },
  'never sends a PATCH twice': async ({ url, heard }) => {
    const answer = await fetch(`${url}/drop`, { method: 'PATCH', body: '{}' });
    await expectProblem(answer, { status: 502, type: '/problems/no_answer' });
    expect(heard.length === 1, `it was heard ${heard.length} times`);
  },
  'goes on asking servers that have dropped a request each': async ({ url, upstreams }) => {
    for (const { requests } of upstreams) requests.length = 0;
    while (!upstreams.every(hasDropped)) await fetch(`${url}/drop`, { method: 'POST' });
    const { status } = await fetch(`${url}/echo`);
    expect(status === 200, `it answers ${status}`);
  },
  'sends a POST to the other server when one is away, once': async ({ url, upstreams, heard }) => {
    for (const away of upstreams) {
      await away.stop();
      heard.length = 0;
      for (let n = 0; n < 6; n++) {
        const { status } = await fetch(`${url}/echo`, { method: 'POST', body: '{}' });
        expect(status === 200, `it answers ${status}`);
      }
      expect(heard.length === 6, `6 were heard ${heard.length} times`);
      await away.listen();
      away.requests.length = 0;
      await until('nginx does not ask who is back', async () => {
        await (await fetch(`${url}/echo`)).arrayBuffer();
        return away.requests.length > 0;
      });
    }
  },
};

async function expectProblem(answer, { status, type }) {
  const text = await answer.text();
  expect(answer.status === status, `it answers ${answer.status}`);
  const kind = answer.headers.get('content-type');
  expect(kind === 'application/problem+json', `it answers with ${kind}`);
  const problem = JSON.parse(text);
  expect(problem.type === type && problem.status === status, `it answers ${text}`);
}

function hasDropped({ requests }) {
  return requests.some(({ url }) => url === '/drop');
}
