import type { Page } from 'playwright-core';
import { describeInChromium, TestBrowser } from '../support/console/browser.js';
import { eventually } from '../support/eventually.js';
import { Gate } from '../support/gate.js';
import { freePort } from '../support/server/free-port.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { openTcpProxy } from '../support/server/tcp-proxy.js';

/** Requests of a page that has a service worker pass by the routes of a test. */
const NO_WORKER = { serviceWorkers: 'block' } as const;
const LONG = 'write a long answer, 300 words';
/** Gives the composer a file as a person does by `kind`. */
const fileBy = (kind: 'ClipboardEvent' | 'DragEvent', name: string): string => `{
  const data = new DataTransfer();
  data.items.add(new File(['Buy milk.'], '${name}', { type: 'text/plain' }));
  const init = { bubbles: true, cancelable: true, clipboardData: data, dataTransfer: data };
  const event = new ${kind}('${kind === 'DragEvent' ? 'drop' : 'paste'}', init);
  document.querySelector('[data-testid=composer]').dispatchEvent(event);
}`;

describeInChromium('The console, chatting', () => {
  let data: ProcessData;
  let env: Record<string, string>;
  let server: ServerProcess;
  let browser: TestBrowser;
  let url: string;

  beforeAll(async () => {
    data = await FILES.create();
    const PORT = String(await freePort());
    env = { ...(data.env as Record<string, string>), MODEL: 'demo/script', PORT };
    url = `http://127.0.0.1:${PORT}`;
    [server, browser] = await Promise.all([ServerProcess.start(env), TestBrowser.launch()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.kill('SIGKILL');
    await data.remove();
  });
  afterEach(async () => {
    expect(await browser.closePages()).toEqual([]);
  });

  const say = async (page: Page, message: string, keys = 'Enter'): Promise<void> => {
    await page.getByTestId('composer').fill(message);
    await page.getByTestId('composer').press(keys);
  };
  /** A new chat with a first message. */
  const begin = async (message: string, options = {}): Promise<Page> => {
    const page = await browser.open(url, options);
    await say(page, message);
    await page.waitForURL(/\/console\/chats\//);
    return page;
  };
  const ended = (page: Page, text: string | RegExp): Promise<void> =>
    page.getByTestId('message-agent').last().getByText(text).last().waitFor();
  const idle = (page: Page): Promise<void> =>
    page.getByTestId('stop').waitFor({ state: 'detached' });
  const answerOf = (page: Page): Promise<string> =>
    page.getByTestId('message-agent').last().innerText();

  it('shows the whole answer, exactly, over a reload and a server that is killed', async () => {
    const page = await begin(LONG);
    await page.getByTestId('stop').waitFor();
    await page.reload();
    await page
      .getByTestId('message-agent')
      .getByText(/\w{4,}/)
      .first()
      .waitFor();
    await server.kill('SIGKILL');
    await page.getByTestId('connection').getByText('reconnecting').waitFor();
    server = await ServerProcess.start(env);
    await page.getByTestId('connection').getByText('live').waitFor();
    await idle(page);
    const id = page.url().split('/').at(-1)!;
    const { body } = await (await server.api()).get(`/chats/${id}`);
    const [{ answer }] = body.interactions as [{ answer: string }];
    expect(words(await answerOf(page))).toContain(words(answer));
  });

  it('goes on where it was when the network was away, with what was typed meanwhile', async () => {
    const network = await openTcpProxy({ host: '127.0.0.1', port: Number(env['PORT']) });
    const page = await browser.open(`http://127.0.0.1:${network.port}`);
    await say(page, LONG);
    await page
      .getByTestId('message-agent')
      .getByText(/\w{4,}/)
      .first()
      .waitFor();
    await network.cut();
    await page.getByTestId('connection').getByText('reconnecting').waitFor();
    await page.getByTestId('composer').fill('typed while away');
    await page.getByTestId('composer').press('Enter');
    await page.getByRole('alert').getByText('does not answer').waitFor();
    await network.restore();
    await page.getByTestId('connection').getByText('live').waitFor();
    await idle(page);
    expect(await page.getByTestId('composer').inputValue()).toBe('typed while away');
    const id = page.url().split('/').at(-1)!;
    const { body } = await (await server.api()).get(`/chats/${id}`);
    const [{ answer }] = body.interactions as [{ answer: string }];
    expect(words(await answerOf(page))).toContain(words(answer));
    await network.cut();
  });

  it('says that the server does not answer, and opens the chat once it does', async () => {
    const page = await begin('what is 3*9', NO_WORKER);
    await ended(page, '3*9 = 27');
    const away = { status: 503, body: 'away', headers: { 'retry-after': '3600' } };
    await page.route(/\/(?:chats|events)\b(?!.*console)/, async (route) => {
      const isPage = route.request().resourceType() === 'document';
      await (isPage ? route.continue() : route.fulfill(away));
    });
    await page.reload();
    const said = page.getByTestId('no-answer');
    await said.getByText('The page goes on trying').waitFor();
    await page.getByTestId('connection').getByText('reconnecting').waitFor();
    await page.getByTestId('chat-list').getByText('does not answer').waitFor();
    await page.getByTestId('composer').fill('typed meanwhile');
    await page.unrouteAll();
    await said.getByRole('button', { name: 'Try again' }).click();
    await ended(page, '3*9 = 27');
    expect(await page.getByTestId('composer').inputValue()).toBe('typed meanwhile');
  });

  it('sends files that are pasted and dropped, once they are there', async () => {
    const page = await browser.open(url, NO_WORKER);
    const [held, composer] = [new Gate(), page.getByTestId('composer')];
    await page.route('**/files', async (route) => {
      await held.pass();
      await route.continue();
    });
    await composer.waitFor();
    await page.evaluate(fileBy('ClipboardEvent', 'pasted.txt'));
    await page.evaluate(fileBy('DragEvent', 'dropped.txt'));
    await composer.fill('what is 7*9');
    const chips = page.getByRole('listitem').filter({ has: page.locator('progress') });
    await chips.filter({ hasText: 'pasted.txt' }).waitFor();
    await chips.filter({ hasText: 'dropped.txt' }).waitFor();
    expect(await page.getByTestId('send').isDisabled()).toBe(true);
    held.open();
    await eventually(async () => (await chips.count()) === 0);
    await composer.press('Enter');
    await ended(page, '7*9 = 63');
    const message = page.getByTestId('message-user');
    for (const name of ['pasted.txt', 'dropped.txt'])
      await message.getByRole('button', { name }).waitFor();
  });

  it('says when an older server has taken the place of its own, until it is loaded anew', async () => {
    const page = await begin('what is 6*7', { serviceWorkers: 'block' });
    await ended(page, '6*7 = 42');
    await page.route('**/health/ready', (route) =>
      route.fulfill({ json: { status: 'ok', version: '0.0.1' } }),
    );
    await server.kill('SIGKILL');
    server = await ServerProcess.start(env);
    const bar = page.getByRole('status').filter({ hasText: 'older than this page' });
    await bar.waitFor();
    await page.unrouteAll();
    await bar.getByRole('button', { name: 'Reload' }).click();
    await bar.waitFor({ state: 'detached' });
    await ended(page, '6*7 = 42');
  });

  it('is at its end when it is opened by its address', async () => {
    const api = await server.api();
    for (const user_message of ['write a long answer', 'what is 6*7', 'what is 8*7'])
      await api.post('/chats/end/interactions?wait=true', { user_message });
    // As on a quick machine: all is drawn within the first second.
    const quick =
      'const now = performance.now.bind(performance); performance.now = () => now() / 100';
    const page = await browser.open('about:blank');
    await page.addInitScript(quick);
    for (let n = 0; n < 3; n++) {
      await page.goto(`${url}/console/chats/end`);
      await ended(page, '8*7 = 56');
      const list = page.getByRole('log');
      const below = () =>
        list.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
      await eventually(async () => (await below()) < 2);
      await page.getByRole('button', { name: 'To the end' }).waitFor({ state: 'detached' });
    }
  });

  it('stops, steers and queues while it works', async () => {
    const page = await begin('write a long answer, 20000 words');
    await page.getByTestId('stop').waitFor();
    await say(page, 'Be brief.');
    await page.getByText('Will be read at its next step').waitFor();
    await say(page, 'what is 1+1', 'Control+Enter');
    await expectTexts(page, ['what is 1+1']);
    await say(page, 'what is 2+2', 'Control+Enter');
    await expectTexts(page, ['what is 1+1', 'what is 2+2']);
    await page.getByTestId('queue-item').nth(1).getByRole('button', { name: 'Move up' }).click();
    await expectTexts(page, ['what is 2+2', 'what is 1+1']);
    await page
      .getByTestId('queue-item')
      .nth(1)
      .getByRole('button', { name: /Remove/ })
      .click();
    await expectTexts(page, ['what is 2+2']);
    await page.getByTestId('stop').click();
    await page.getByText('Cancelled by').waitFor();
    await ended(page, '2+2 = 4');
    await idle(page);
  });

  it('keeps what a queued message was changed to when that has begun meanwhile', async () => {
    const page = await begin('write a long answer, 20000 words');
    await page.getByTestId('stop').waitFor();
    await say(page, 'what is 1+6', 'Control+Enter');
    const queued = page.getByTestId('queue-item');
    await queued.getByRole('button', { name: 'Edit' }).click();
    await queued.getByRole('textbox').fill('what is 1+7');
    const id = page.url().split('/').at(-1)!;
    const api = await server.api();
    const { body } = await api.get(`/chats/${id}`);
    await api.post(`/chats/${id}/interactions/${body.active_interaction_id}/cancel`);
    await ended(page, '1+6 = 7');
    expect(await queued.getByRole('textbox').inputValue()).toBe('what is 1+7');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Queued' }).getByRole('alert').waitFor();
    await queued.getByRole('textbox').press('Escape');
    await queued.waitFor({ state: 'detached' });
  });

  /** Waits for the queue to be so. */
  const expectTexts = (page: Page, texts: readonly string[]): Promise<void> =>
    eventually(async () => {
      const shown = await page.getByTestId('queue-item').locator('> span').allInnerTexts();
      return JSON.stringify(shown) === JSON.stringify(texts);
    });

  it('edits a message, and walks its branches', async () => {
    const page = await begin('what is 3*3');
    await ended(page, '3*3 = 9');
    await page.getByTestId('message-user').hover();
    await page.getByTestId('edit-message').click();
    const box = page.getByRole('textbox', { name: 'Edit and send again' });
    await box.fill('what is 4*4');
    await page.getByTestId('new-chat').click();
    await page.goBack();
    await page.getByTestId('message-user').hover();
    await page.getByTestId('edit-message').click();
    expect(await box.inputValue()).toBe('what is 4*4');
    await page.keyboard.press('Enter');
    await ended(page, '4*4 = 16');
    await page.getByTestId('branch-switch').getByText('2/2').waitFor();
    await page.getByRole('button', { name: 'Earlier version' }).click();
    await ended(page, '3*3 = 9');
    await page.getByTestId('branch-switch').getByText('1/2').waitFor();
  });

  it('sends an edit once, though Enter is pressed again before the answer', async () => {
    const page = await begin('what is 3*8', NO_WORKER);
    await ended(page, '3*8 = 24');
    let edits = 0;
    let answer!: () => void;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/edit', async (route) => {
      edits++;
      await answered;
      await route.continue();
    });
    await page.getByTestId('composer').press('ArrowUp');
    await page.getByRole('textbox', { name: 'Edit and send again' }).fill('what is 4*8');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    answer();
    await ended(page, '4*8 = 32');
    expect(edits).toBe(1);
  });

  it('keeps what is typed while a message fails, and what an example follows', async () => {
    const page = await browser.open(url, NO_WORKER);
    const box = page.getByTestId('composer');
    await box.fill('mine');
    for (const example of ['Plan on the board', 'Approve a call'])
      await page.getByRole('button', { name: example }).click();
    expect(await box.inputValue()).toMatch(/^mine\n\ncall todo .*\n\nrun `/);
    await box.fill('');
    for (const example of ['Plan on the board', 'Approve a call'])
      await page.getByRole('button', { name: example }).click();
    expect(await box.inputValue()).toMatch(/^run `/);
    let fail!: () => void;
    const failed = new Promise<void>((resolve) => (fail = resolve));
    await page.route('**/interactions', async (route) => {
      await failed;
      await route.abort();
    });
    await say(page, 'first');
    await box.fill('second');
    fail();
    await page.getByRole('alert').getByText('does not answer').waitFor();
    expect(await box.inputValue()).toBe('first\n\nsecond');
  });

  it('keeps two tabs in step, and a draft over a reload', async () => {
    const page = await begin('what is 5*5');
    await ended(page, '5*5 = 25');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await ended(other, '5*5 = 25');
    await say(other, 'what is 6*6');
    await ended(page, '6*6 = 36');
    await page.bringToFront();
    await page.getByTestId('composer').fill('not sent yet');
    await eventually(() => page.evaluate(`Object.values(localStorage).includes('not sent yet')`));
    await page.reload();
    expect(await page.getByTestId('composer').inputValue()).toBe('not sent yet');
  });

  it('begins a chat with the model, folder and budget that were chosen, and changes them', async () => {
    const page = await browser.open(url);
    const choose = async (label: string, value: string): Promise<void> => {
      await page.getByRole('button', { name: 'Agent, model and approvals' }).click();
      await page.getByRole('menuitem', { name: 'Model, folder and budget' }).click();
      await page.getByRole('dialog').getByLabel(label).fill(value);
      await page.getByRole('button', { name: 'Save' }).click();
    };
    await choose('Most tokens of a message', '50000');
    await choose('Model', 'demo/script');
    await say(page, 'what is 8*8');
    await ended(page, '8*8 = 64');
    const id = page.url().split('/').at(-1)!;
    const settings = async () => (await (await server.api()).get(`/chats/${id}`)).body.settings;
    expect(await settings()).toMatchObject({ model: 'demo/script', budget: { tokens: 50000 } });
    await choose('Model', 'nobody/nothing');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.locator('datalist option[value="demo/script"]').waitFor({ state: 'attached' });
    await page.getByRole('dialog').getByLabel('Model').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await settings()).toEqual({ budget: { tokens: 50000 } });
  });

  it('sends a message once, though the answer to it was lost', async () => {
    const page = await browser.open(url, NO_WORKER);
    let lost = 0;
    await page.route('**/interactions', async (route) => {
      if (lost > 0) return route.continue();
      lost++;
      await route.fetch();
      await route.abort();
    });
    await say(page, 'what is 9*9');
    await page.getByRole('alert').getByText('does not answer').waitFor();
    expect(await page.getByTestId('composer').inputValue()).toBe('what is 9*9');
    await page.getByTestId('composer').press('Enter');
    await ended(page, '9*9 = 81');
    const id = page.url().split('/').at(-1)!;
    const { body } = await (await server.api()).get(`/chats/${id}`);
    expect(body.interactions).toHaveLength(1);
  });

  it('reads what was said before, though the server could not give it at first', async () => {
    const page = await begin('what is 2*9', NO_WORKER);
    await ended(page, '2*9 = 18');
    let failures = 0;
    await page.route(/\/chats\/[^/]+\?/, (route) =>
      failures++ < 1 ? route.fulfill({ status: 503, body: 'away' }) : route.continue(),
    );
    await page.reload();
    await ended(page, '2*9 = 18');
    expect(failures).toBeGreaterThan(1);
  });

  it('renames, finds and deletes a chat; an open one that is gone says so', async () => {
    const page = await begin('what is 7*7');
    await ended(page, '7*7 = 49');
    const row = page.getByTestId('chat-list').locator('div', { hasText: 'what is 7*7' }).last();
    await row.hover();
    await row.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Rename' }).fill('Squares');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Squares' }).waitFor();
    await page.getByRole('searchbox').fill('squar');
    await page.getByTestId('chat-list').getByText('Squares').waitFor();
    const id = page.url().split('/').at(-1)!;
    await (await server.api()).delete(`/chats/${id}`);
    await page.getByText('This chat is not there').waitFor();
  });
});

function words(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
