/**
 * Measures the console in Chromium against a built server:
 *
 *   node bench/console.mjs [--turns 1000] [--seconds 15]
 *
 * - a chat of 2,000 messages, one answer in five with a block of code, and one of 2: how long they
 *   take to open, and the frames while the wheel turns through them
 * - 5 agents that write code, `DELTAS` a second in all: the CPU time of the process of a page that
 *   shows them, of one that shows another chat, and of a bare page with as many elements of text
 *
 * Aims: open in less than 1 s, 60 frames a second, 20 % of a core. CHROMIUM names the browser,
 * unless it is /usr/bin/chromium.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { cpuMs, describeComputer } from './machine.mjs';
import { startHelper } from './partners.mjs';
import { summarise } from './percentiles.mjs';
import { productionCommand } from './production-command.mjs';
import { startServer } from './server.mjs';
import { openStore, removeStores } from './stores.mjs';

const LAST = 'the last message';
const AGENTS = 5;
/** A second, of all agents together. */
const DELTAS = 50;
/** For what the page loads once it has time. */
const SETTLE_MS = 2_000;
const RUNS = 3;

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '15' },
  },
});
const turns = Number(values.turns);
const seconds = Number(values.seconds);

console.log(`${describeComputer()}\n`);
const model = await startHelper('fake-model.mjs');
const store = await openStore('file');
const server = await startServer({
  command: productionCommand(),
  ...{ store, model, pinned: false, env: { MAX_AGENT_DEPTH: '3' } },
});
const url = `http://127.0.0.1:${server.port}`;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
const system = await browser.newBrowserCDPSession();
try {
  await fill('short', 1);
  await fill('long', turns);
  for (const chat of ['short', 'long']) await measureOpening(chat);
  await measureScrolling('long');
  await measureBarePage();
  for (const shows of [false, true]) await measureStreaming(shows);
} finally {
  await browser.close();
  await server.stop();
  await model.stop();
  await removeStores();
}

async function fill(chat, count) {
  for (let turn = 1; turn <= count; turn++)
    await say(chat, turn === count ? LAST : `Message ${turn}`, turn % 5 ? 'prose-20' : 'code-20');
}

async function say(chat, user_message, name, query = '?wait=true') {
  const answer = await fetch(`${url}/chats/${chat}/interactions${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      ...{ user_message, model: `openai/${name}`, approval_mode: 'auto' },
      on_disconnect: 'continue',
    }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return JSON.parse(text);
}

/** From the click on a link to the last message in sight, with nothing cached but the scripts. */
async function measureOpening(chat) {
  const took = [];
  for (let run = 0; run < RUNS; run++) {
    const { page, close } = await openPage('');
    await page.goto(`${url}/console/chats/${chat}`);
    await page.getByText(LAST).last().waitFor();
    took.push(await page.evaluate('performance.now()'));
    await close();
  }
  console.log(`${chat}: open after ${took.map((ms) => Math.round(ms)).join(', ')} ms`);
}

async function measureScrolling(chat) {
  const { page, cpu, close } = await openPage(`chats/${chat}`);
  await page.getByText(LAST).last().waitFor();
  await delay(SETTLE_MS);
  const box = await page.getByRole('log').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.evaluate(() => {
    const frames = (globalThis.frames_ms = []);
    const next = (last) => (now) => {
      frames.push(now - last);
      requestAnimationFrame(next(now));
    };
    requestAnimationFrame(next(performance.now()));
  });
  const before = cpu();
  const begun = performance.now();
  while (performance.now() - begun < seconds * 1000) {
    await page.mouse.wheel(0, -240);
    await delay(16);
  }
  const used = cpu() - before;
  const frames = await page.evaluate('frames_ms.slice(1)');
  const elements = await page.evaluate('document.querySelectorAll("*").length');
  const first = await page.evaluate(
    () => document.querySelector('[role=log]').innerText.match(/Message \d+/)?.[0],
  );
  const slow = frames.filter((ms) => ms > 25).length;
  const { p50, p99 } = summarise(frames);
  console.log(
    `${chat}: ${frames.length} frames in ${seconds} s, ${slow} longer than 25 ms, median ${p50} ms, 99 % within ${p99} ms; ` +
      `${Math.round(used / seconds / 10)} % of a core; ${elements} elements, at ${first}`,
  );
  await close();
}

/** Texts that grow in a page without anything else, which a browser can't do without. */
async function measureBarePage() {
  const { page, cpu, close } = await openPage('');
  await page.evaluate(
    ({ count, interval_ms }) => {
      document.body.innerHTML = '<pre style="height: 30vh; overflow: auto"></pre>'.repeat(count);
      const boxes = [...document.querySelectorAll('pre')];
      let line = 0;
      setInterval(() => {
        const box = boxes[++line % count];
        box.append(`const total${line} = sum(items.slice(${line}), 'of ${line}'); // one more\n`);
        box.scrollTop = box.scrollHeight;
      }, interval_ms);
    },
    { count: AGENTS, interval_ms: 1000 / DELTAS },
  );
  await delay(SETTLE_MS);
  console.log(`bare page: ${await shareOf(cpu)} of a core for ${DELTAS} lines a second`);
  await close();
}

/** @param shows the chat, instead of another one */
async function measureStreaming(shows) {
  const chat = shows ? 'shown' : 'hidden';
  await fill(chat, 1);
  const { page, cpu, close } = await openPage(`chats/${shows ? chat : 'short'}`);
  await page.getByText(LAST).last().waitFor();
  const name = `crowd-${AGENTS}-${(AGENTS * 1000) / DELTAS}-${(seconds + 60) * 1000}`;
  const { id } = await say(chat, 'Go', name, '');
  if (shows) await openBlocks(page);
  await delay(SETTLE_MS);
  console.log(`${chat}: ${await shareOf(cpu)} of a core for ${DELTAS} deltas a second`);
  if (shows && process.env.PICTURE) await page.screenshot({ path: process.env.PICTURE });
  await fetch(`${url}/chats/${chat}/interactions/${id}/cancel`, { method: 'POST' });
  await close();
}

async function openBlocks(page) {
  for (let agent = 0; agent < AGENTS; agent++)
    await page.locator('[data-agent] > button').nth(agent).click();
  await page
    .getByText('const total9')
    .nth(AGENTS - 1)
    .waitFor();
}

async function shareOf(cpu) {
  const before = cpu();
  await delay(seconds * 1000);
  return `${Math.round((cpu() - before) / seconds / 10)} %`;
}

/** A page, and the CPU time of its process so far, in milliseconds. */
async function openPage(path) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const before = await renderers();
  const page = await context.newPage();
  await page.goto(`${url}/console/${path}`);
  const own = (await renderers()).filter((pid) => !before.includes(pid));
  const cpu = () => own.reduce((sum, pid) => sum + cpuMs(pid), 0);
  return { page, cpu, close: () => context.close() };
}

async function renderers() {
  const { processInfo } = await system.send('SystemInfo.getProcessInfo');
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
}
