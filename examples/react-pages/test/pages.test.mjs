import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { freePort, servePages, startParley, stop } from './servers.mjs';

const FLAGS =
  '--disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';
const TIMEOUT_MS = 60_000;
const WRITE = 'call write {"path":"note.txt","content":"hello"}';

describe('A page of React', { timeout: 10 * TIMEOUT_MS }, () => {
  let folder, settings, parley, pages, browser, page;
  const faults = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'react-pages-'));
    pages = await servePages();
    settings = { folder, origin: pages.origin, port: await freePort() };
    parley = await startParley(settings);
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      chromiumSandbox: process.getuid() !== 0,
      args: FLAGS.split(' '),
    });
  });
  after(async () => {
    await browser?.close();
    await pages?.server.close();
    if (parley) await stop(parley);
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    faults.length = 0;
    page = await browser.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    page.on('pageerror', (error) => faults.push(error));
  });
  afterEach(async () => {
    await page.close();
    assert.deepEqual(faults, []);
  });

  const open = (name, chat = '') =>
    page.goto(`${settings.origin}/${name}.html?server=http://127.0.0.1:${settings.port}${chat}`);
  const send = async (text) => {
    await page.fill('[name=message]', text);
    await page.getByRole('button', { name: 'Send' }).click();
  };
  const shows = (text) => page.locator('section .text', { hasText: text }).waitFor();
  const ready = () => page.locator('main[data-status=ready]').waitFor();
  const press = (name) => page.getByRole('button', { name, exact: true }).click();
  const note = () => readFile(join(folder, 'workspace/note.txt'), 'utf8');
  const streamed = (words) =>
    page.waitForFunction((least) => {
      const text = [...document.querySelectorAll('section .text')].at(-1)?.textContent ?? '';
      return text.split(' ').length > least;
    }, words);
  const answer = async () => {
    const chat = new URL(page.url()).hash.slice(1);
    const reply = await fetch(`http://127.0.0.1:${settings.port}/chats/${chat}`);
    return (await reply.json()).interactions.at(-1).answer;
  };

  for (const name of ['use-chat', 'use-stream']) {
    it(`${name}: shows an answer with its calls, and goes on`, async () => {
      await open(name);
      await send('what is 6*7');
      await shows('6*7 = 42');
      await page.locator('.call', { hasText: '42' }).waitFor();
      await ready();
      await send('what is 1+1');
      await shows('1+1 = 2');
    });

    it(`${name}: decides what waits, also after a reload`, async () => {
      await rm(join(folder, 'workspace/note.txt'), { force: true });
      await open(name);
      await send(WRITE);
      await page.locator('.approval', { hasText: 'note.txt' }).waitFor();
      await page.reload();
      await press('Reject');
      await page.locator('.approval').waitFor({ state: 'detached' });
      await ready();
      await assert.rejects(note());
      await send(WRITE);
      await press('Approve');
      await page.locator('.approval').waitFor({ state: 'detached' });
      await ready();
      await shows('write says');
      assert.equal(await note(), 'hello');
    });

    it(`${name}: is loaded again in the middle of an answer, and has it whole`, async () => {
      await open(name);
      await send('write 200 words');
      await streamed(20);
      await page.reload();
      await streamed(40);
      await ready();
      const texts = await page.locator('section .text').allTextContents();
      assert.equal(texts.at(-1), await answer());
    });
  }

  it('decides with one hook what the other has begun, and goes on', async () => {
    await rm(join(folder, 'workspace/note.txt'), { force: true });
    await open('use-chat');
    await send(WRITE);
    await page.locator('.approval').waitFor();
    const { hash } = new URL(page.url());
    await open('use-stream', hash);
    await press('Approve');
    await shows('write says');
    assert.equal(await note(), 'hello');
    await ready();
    await open('use-chat', hash);
    await send('what is 6*7');
    await shows('6*7 = 42');
  });
});
