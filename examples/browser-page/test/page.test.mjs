import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { freePort, startPage, startParley, stop } from './servers.mjs';

const FLAGS =
  '--disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';
const TIMEOUT_MS = 60_000;
const ADMIN_KEY = 'an-admin-key-of-the-tests-0123456789';
const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' };

describe('The page', { timeout: 10 * TIMEOUT_MS }, () => {
  let folder, settings, parley, files, browser, page;
  const faults = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'browser-page-'));
    const pagePort = await freePort();
    const origin = `http://127.0.0.1:${pagePort}`;
    settings = { folder, origin, port: await freePort() };
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      chromiumSandbox: process.getuid() !== 0,
      args: FLAGS.split(' '),
    });
    files = await startPage(pagePort);
    parley = await startParley(settings);
  });
  after(async () => {
    await browser?.close();
    await Promise.all([parley, files].map((child) => child && stop(child)));
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    faults.length = 0;
    page = await browser.newPage({ viewport: { width: 1200, height: 760 } });
    page.setDefaultTimeout(TIMEOUT_MS);
    page.on('pageerror', (error) => faults.push(error));
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) faults.push(message.text());
    });
    await page.goto(`${settings.origin}/?server=${api('')}`);
  });
  afterEach(async () => {
    await page.close();
    assert.deepEqual(faults, []);
  });

  const api = (path) => `http://127.0.0.1:${settings.port}${path}`;
  const chatId = () => new URL(page.url()).hash.slice(1);
  const ended = (status = 'COMPLETED') => page.locator(`section:last-child.${status}`).waitFor();
  const texts = (selector) => page.locator(`${selector}:visible`).allTextContents();
  const press = (name) => page.getByRole('button', { name, exact: true }).last().click();
  async function send(text) {
    await page.fill('#message', text);
    await press('Send');
  }
  async function say(text) {
    await send(text);
    await page.locator('section:last-child > p', { hasText: text }).waitFor();
  }
  async function expectProblem(text) {
    await page.locator('#problem', { hasText: text }).waitFor();
    faults.pop();
  }
  async function change(method, path, body) {
    const reply = await fetch(api(path), { method, headers, body: JSON.stringify(body) });
    assert.ok(reply.ok, `${method} ${path}: ${reply.status}`);
  }
  /** What the last answer must be, to the character. */
  async function savedAnswer() {
    const { interactions } = await (await fetch(api(`/chats/${chatId()}`), { headers })).json();
    return interactions.at(-1).answer;
  }
  const streamed = (words) =>
    page.waitForFunction((length) => {
      const text = document.querySelector('section:last-child .text_delta')?.textContent ?? '';
      return text.split(' ').length > length;
    }, words);

  it('shows thinking, tools with their output, and the answer, and lists the chat', async () => {
    await say('what is 6*7');
    await ended();
    assert.deepEqual(await texts('.answer'), ['6*7 = 42']);
    assert.deepEqual(await texts('.tool_call'), ['calculator {"expression":"6*7"}']);
    assert.deepEqual(await texts('.tool_result'), ['42']);
    assert.equal((await texts('.thinking')).length, 1);
    assert.deepEqual(await texts('#chats a'), ['what is 6*7']);
    await page.locator('#agents [data-state=completed i]').waitFor();
  });

  it('streams an answer, and shows it once after a reload in the middle', async () => {
    await say('write 300 words');
    await streamed(20);
    await page.reload();
    await streamed(60);
    await ended();
    assert.deepEqual(await texts('.answer'), [await savedAnswer()]);
    assert.deepEqual(await texts('.text_delta'), []);
  });

  it('goes on by itself after the server was killed in the middle of an answer', async () => {
    await say('write 400 words');
    await streamed(40);
    await stop(parley);
    parley = await startParley(settings);
    await ended();
    assert.deepEqual(await texts('.answer'), [await savedAnswer()]);
    assert.deepEqual(await texts('.text_delta'), []);
    assert.equal((await texts('section')).length, 1);
    await say('what is 1+1');
    await ended();
    assert.equal((await texts('.answer'))[1], '1+1 = 2');
  });

  it('approves a call with an edited input, and rejects another', async () => {
    await say('call write {"path":"note.txt","content":"draft"}');
    await page.fill('.card textarea', '{"path":"note.txt","content":"final"');
    await press('Approve');
    await expectProblem(/JSON/);
    await page.fill('.card textarea', '{"path":"note.txt","content":"final"}');
    await press('Approve');
    await ended();
    assert.equal(await readFile(join(folder, 'workspace/note.txt'), 'utf8'), 'final');
    await say('call write {"path":"note.txt","content":"again"}');
    await press('Reject');
    await ended();
    assert.equal(await readFile(join(folder, 'workspace/note.txt'), 'utf8'), 'final');
    assert.deepEqual(await texts('.card'), ['approved', 'rejected']);
  });

  it('answers a question, by an option or in words', async () => {
    await say('ask me which colour I like: red, green or blue');
    await press('green');
    await ended();
    await say('ask me my name');
    await page.fill('.card:last-child textarea', 'Ann');
    await press('Answer');
    await ended();
    assert.deepEqual(await texts('.card'), ['green', 'Ann']);
    assert.deepEqual(await texts('.answer'), ['ask_human says: green', 'ask_human says: Ann']);
  });

  it('shows tasks that agents and other clients change, also after a reload', async () => {
    await say('call todo {"tasks":[{"title":"Plan"}]}');
    await ended();
    await change('POST', '/tasks', { chat_id: chatId(), title: 'Test' });
    await page.locator('#tasks li', { hasText: 'Test' }).waitFor();
    const id = await page.locator('#tasks li', { hasText: 'Plan' }).getAttribute('id');
    await change('DELETE', `/tasks/${id}`);
    await page.locator(`#${id}`).waitFor({ state: 'detached' });
    await page.reload();
    await ended();
    await page.locator(`#${id}`).waitFor({ state: 'detached' });
    assert.deepEqual(await texts('#tasks li'), ['Test']);
  });

  it('shows the tree of agents, and the work of a child apart', async () => {
    await say('call agent {"prompt":"what is 6*7"}');
    await page.locator('#agents > div > div').waitFor();
    await ended();
    assert.equal(await page.locator('#agents [data-state]').count(), 2);
    assert.deepEqual(await texts('details details .message'), ['6*7 = 42']);
  });

  it('edits an earlier message, which replaces what followed, and shows another branch', async () => {
    const answered = (text) => page.locator('.answer:visible', { hasText: text }).waitFor();
    const shows = async (...messages) => {
      assert.deepEqual(await texts('section > p'), messages);
      assert.equal(await page.locator('#agents > div:visible').count(), 1);
    };
    const edit = async (text) => {
      await page.getByRole('button', { name: 'Edit' }).first().click();
      await say(text);
      await ended();
      await shows(text);
    };
    await say('what is 1+1');
    await ended();
    await say('what is 2+2');
    await ended();
    const old = await page.locator('section').evaluateAll((all) => all.map(({ id }) => id));
    await edit('what is 3+3');
    await edit('what is 4+4');
    await page.reload();
    await answered('4+4 = 8');
    await shows('what is 4+4');
    await change('PATCH', `/chats/${chatId()}`, { head_interaction_id: old[1] });
    await answered('2+2 = 4');
    await shows('what is 1+1', 'what is 2+2');
    await page.reload();
    await answered('2+2 = 4');
    await shows('what is 1+1', 'what is 2+2');
    await edit('what is 5+5');
    await change('PATCH', `/chats/${chatId()}`, { head_interaction_id: old[0] });
    await answered('1+1 = 2');
    await say('what is 6+6');
    await ended();
    await shows('what is 1+1', 'what is 6+6');
  });

  it('cancels, and shows why a second message has to wait', async () => {
    await say('write 2000 words');
    await streamed(5);
    await send('hello');
    await expectProblem(/busy/);
    await press('Cancel');
    await ended('CANCELLED');
    assert.deepEqual(await texts('.answer'), [await savedAnswer()]);
  });

  it('shows why an interaction failed', async () => {
    await say('fail');
    await ended('FAILED');
    assert.match((await texts('.error')).join(), /failed, as it was told to/);
  });

  it('asks for a key, and sends it with each reconnect', async () => {
    await stop(parley);
    Object.assign(settings, { AUTH: 'keys', ADMIN_KEY });
    parley = await startParley(settings);
    const signIn = async (key) => {
      await page.fill('#credential', key);
      await press('Sign in');
    };
    await page.reload();
    await signIn('wrong');
    await page.locator('#problem', { hasText: /key/ }).waitFor();
    await signIn(ADMIN_KEY);
    await say('write 400 words');
    await streamed(40);
    await stop(parley);
    parley = await startParley(settings);
    await ended();
    assert.deepEqual(await texts('.answer'), [await savedAnswer()]);
    assert.equal((await texts('section')).length, 1);
  });
});
