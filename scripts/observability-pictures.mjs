/**
 * `node scripts/observability-pictures.mjs [<folder>]`: takes the pictures of
 * `docs/observability.md` from a built server whose model is slow and overloaded now and then, and
 * from the Prometheus that scrapes it. Takes two minutes. CHROMIUM names the browser, unless it is
 * /usr/bin/chromium.
 */
import { createServer } from 'node:http';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { inScratchFolder } from './deployment/in-scratch-folder.mjs';
import { freePort, start, until } from './deployment/processes.mjs';

const [pictures = 'docs/pictures'] = process.argv.slice(2);
const HEADERS = { accept: 'application/json', 'content-type': 'application/json' };
const LOAD_MS = 100_000;
const PAUSE_MS = 1_500;
const CHILD = 'Read the release notes once more.';
const RELEASE = [
  `call agent ${JSON.stringify({ agent_type: 'react', prompt: CHILD })}`,
  `call bash ${JSON.stringify({ command: 'sleep 1; echo 214 tests passed' })}`,
].join('\n');
const EXPR =
  'histogram_quantile(0.95, sum by (le, model) (rate(parley_model_turn_seconds_bucket[30s])))';

/** Makes the calls that a message names, one in a turn. It is overloaded now and then. */
class Model {
  requests = 0;

  async start() {
    const port = await freePort();
    const answer = (request, response) => void this.#answer(request, response);
    createServer(answer).listen(port, '127.0.0.1');
    return `http://127.0.0.1:${port}/v1`;
  }

  async #answer(request, response) {
    const { model, messages } = JSON.parse((await request.toArray()).join(''));
    await delay(model === 'large' ? 1_500 + 2_000 * Math.random() : 300);
    const last = messages.findLastIndex(({ role }) => role === 'user');
    const { content } = messages[last];
    const isOverloaded = content === CHILD ? this.requests === 1 : this.requests % 6 === 5;
    this.requests++;
    if (isOverloaded) return response.writeHead(503).end('{"error": {"message": "Overloaded"}}');
    const done = messages.slice(last).filter(({ role }) => role === 'tool').length;
    const [, name, input] = /^call (\w+) (.+)$/.exec(content.split('\n')[done]) ?? [];
    const delta = name
      ? { tool_calls: [callOf(`call_${this.requests}`, name, input)] }
      : { content: 'All 214 tests have passed, and the notes are complete.' };
    const choices = [{ index: 0, delta, finish_reason: name ? 'tool_calls' : 'stop' }];
    const usage = { prompt_tokens: 900, completion_tokens: 80, total_tokens: 980 };
    const chunk = { id: 'picture', object: 'chat.completion.chunk', created: 1, model, choices };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify({ ...chunk, usage })}\n\ndata: [DONE]\n\n`);
  }
}

function callOf(id, name, input) {
  return { index: 0, id, type: 'function', function: { name, arguments: input } };
}

await inScratchFolder('parley-pictures-', async (folder) => {
  const server = await startServer(folder);
  const prometheus = await startPrometheus(folder, server);
  const chat = await converse(server);
  await load(server);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  const take = async (name, url, { seen, height }) => {
    const page = await browser.newPage({ viewport: { width: 1280, height } });
    await page.goto(url);
    await page.locator(seen).first().waitFor();
    await page.evaluate('document.fonts.ready');
    await page.screenshot({ path: join(pictures, `${name}.png`) });
  };
  const timeline = `${server}/console/chats/${chat}?panel=timeline`;
  await take('timeline-of-a-release', timeline, { seen: '[data-testid=timeline]', height: 720 });
  const graph = new URLSearchParams({ 'g0.expr': EXPR, 'g0.tab': '0', 'g0.range_input': '90s' });
  await take('prometheus-model-turns', `${prometheus}/graph?${graph}`, {
    seen: 'canvas, .rickshaw_graph path',
    height: 1000,
  });
  await browser.close();
});

async function startServer(folder) {
  const port = await freePort();
  const prices = {
    'openai/large': { input: 3, output: 15 },
    'openai/small': { input: 1, output: 4 },
  };
  const env = {
    ...{ PATH: process.env.PATH, PORT: String(port), STORE: 'file', LOG_LEVEL: 'error' },
    ...{ OPENAI_BASE_URL: await new Model().start(), MODEL: 'openai/large', SANDBOX: 'none' },
    ...{ MODEL_PRICES: JSON.stringify(prices), DATA_DIR: join(folder, 'data') },
    WORKSPACE_DIR: join(folder, 'workspace'),
  };
  start(process.execPath, ['dist/programs/main.js'], { stdio: 'inherit', env });
  const url = `http://127.0.0.1:${port}`;
  await until('the server is not ready', () => isThere(`${url}/health/ready`));
  return url;
}

async function startPrometheus(folder, server) {
  const port = await freePort();
  const targets = [{ targets: [new URL(server).host] }];
  const config = {
    global: { scrape_interval: '1s' },
    scrape_configs: [{ job_name: 'parley', static_configs: targets }],
  };
  const file = join(folder, 'prometheus.yml');
  await writeFile(file, JSON.stringify(config)); // which is YAML, too
  start('prometheus', [
    ...[`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'prometheus')}`],
    ...[`--web.listen-address=127.0.0.1:${port}`, '--log.level=error'],
  ]);
  const url = `http://127.0.0.1:${port}`;
  await until('Prometheus is not ready', () => isThere(`${url}/-/ready`));
  return url;
}

/** A child whose model is overloaded once, and a command that waits for a person. */
async function converse(server) {
  const { id: chat } = await post(`${server}/chats`, { title: 'Release 1.4' });
  const started = { user_message: RELEASE, on_disconnect: 'continue' };
  const { id } = await post(`${server}/chats/${chat}/interactions`, started);
  let approval;
  await until('nothing waits for a decision', async () => {
    const { items } = await get(`${server}/requests?status=pending`);
    return (approval = items[0]);
  });
  await delay(2 * PAUSE_MS);
  const path = `${server}/chats/${chat}/interactions/${id}`;
  await post(`${path}/approve`, { approval_id: approval.approval_id, approved: true });
  await until('it has not ended', async () => (await get(path)).status === 'COMPLETED');
  return chat;
}

async function load(server) {
  const end = performance.now() + LOAD_MS;
  for (let n = 0; performance.now() < end; n++, await delay(PAUSE_MS))
    await post(`${server}/chats/load-${n}/interactions`, {
      ...{ user_message: 'Are all tests green?', on_disconnect: 'continue' },
      model: n % 2 ? 'openai/large' : 'openai/small',
    });
}

async function post(url, body) {
  const answer = await fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url}: ${await answer.text()}`);
  return answer.json();
}

async function get(url) {
  return (await fetch(url, { headers: HEADERS })).json();
}

async function isThere(url) {
  return (await fetch(url).catch(() => undefined))?.ok === true;
}
