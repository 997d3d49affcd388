import type { Locator, Page } from 'playwright-core';
import { describeInChromium, TestBrowser } from '../support/console/browser.js';
import { eventually } from '../support/eventually.js';
import { Gate } from '../support/gate.js';
import { delta } from '../support/model/fake-openai-turn.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

/** More than two pages of the server. */
const TURNS = 130;
const LINES = Array.from({ length: 12 }, (_, line) => `Line ${line} of it.`).join('\n\n');
const CODE = `\n\n\`\`\`ts\n${'const total = sum(items);\n'.repeat(20)}\`\`\`\n`;
describeInChromium('The console, with a long chat', () => {
  let data: ProcessData;
  let model: FakeOpenAi;
  let server: ServerProcess;
  let browser: TestBrowser;
  let url: string;

  beforeAll(async () => {
    data = await FILES.create();
    model = await FakeOpenAi.start();
    model.otherwise({ text: LINES + CODE });
    const env = { MODEL: 'openai/any', OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'any' };
    [server, browser] = await Promise.all([
      ServerProcess.start({ ...data.env, ...env }),
      TestBrowser.launch(),
    ]);
    const api = await server.api();
    ({ url } = api);
    for (let turn = 1; turn <= TURNS; turn++)
      await api.post('/chats/long/interactions?wait=true', { user_message: `Message ${turn}.` });
  });
  afterAll(async () => {
    await browser.close();
    await server.kill('SIGKILL');
    await model.stop();
    await data.remove();
  });
  afterEach(async () => {
    expect(await browser.closePages()).toEqual([]);
  });

  const open = async (): Promise<Page> => {
    const page = await browser.open(`${url}/console/chats/long`, { serviceWorkers: 'block' });
    await message(page, TURNS).waitFor();
    return page;
  };
  const message = (page: Page, turn: number): Locator =>
    page.getByTestId('message-user').filter({ hasText: `Message ${turn}.` });
  const topOf = async (of: Locator): Promise<number> => (await of.boundingBox())!.y;

  it('holds what is in sight, and not all that there is', async () => {
    const page = await open();
    const log = page.getByRole('log');
    await log.hover();
    while ((await message(page, 1).count()) === 0) {
      expect(await page.getByTestId('message-user').count()).toBeLessThan(30);
      await page.mouse.wheel(0, -4000);
      await page.evaluate('new Promise(requestAnimationFrame)');
    }
    await page.getByText('Loading earlier').waitFor({ state: 'detached' });
  });

  it('moves nothing that is read when earlier messages come', async () => {
    const page = await open();
    const held = new Gate();
    await page.route('**/chats/long?*before=*', async (route) => {
      await held.pass();
      await route.continue();
    });
    const log = page.getByRole('log');
    await log.hover();
    const asked = page.waitForRequest(/before=/);
    while ((await log.evaluate((box) => box.scrollTop)) > 500) {
      await page.mouse.wheel(0, -2000);
      await page.evaluate('new Promise(requestAnimationFrame)');
    }
    await asked;
    await page.evaluate('document.fonts.ready');
    const read = page.getByTestId('message-user').nth(1);
    const said = await read.innerText();
    const before = await topOf(read);
    held.open();
    const same = page.getByTestId('message-user').filter({ hasText: said });
    await eventually(async () => (await log.evaluate((box) => box.scrollTop)) > 2000);
    expect(Math.abs((await topOf(same)) - before)).toBeLessThan(2);
  });

  it('moves nothing that is read while the answer grows below', async () => {
    const page = await open();
    const [half, rest] = [new Gate(), new Gate()];
    model.reply({ text: [LINES, CODE, half, LINES, CODE, rest, 'The end.'] });
    await page.getByTestId('composer').fill('Once more.');
    await page.getByTestId('composer').press('Enter');
    await message(page, TURNS).waitFor({ state: 'detached' });
    const answer = page.getByTestId('message-agent').last();
    await answer.getByText('sum(items)').first().waitFor();
    await page.getByRole('log').hover();
    await page.mouse.wheel(0, -300);
    await page.getByRole('button', { name: 'To the end' }).waitFor();
    const read = answer.getByText('Line 11 of it').first();
    const before = await topOf(read);
    half.open();
    await eventually(async () => (await answer.getByText('Line 11 of it').count()) === 2);
    expect(await topOf(read)).toBe(before);
    rest.open();
    await answer.getByText('The end.').waitFor();
    await page.getByTestId('stop').waitFor({ state: 'detached' });
    expect(await topOf(read)).toBe(before);
  });

  it('keeps the end of code in sight while it is written, unless the reader goes away from there', async () => {
    const page = await browser.open(url);
    const [some, more, rest] = [new Gate(), new Gate(), new Gate()];
    const lines = (from: number, to: number): string =>
      Array.from({ length: to - from }, (_, n) => `const n${from + n} = 1;\n`).join('');
    model.reply({
      text: ['```ts\n', lines(0, 50), some, lines(50, 100), more, lines(100, 150), rest, '```'],
    });
    await page.getByTestId('composer').fill('Write code.');
    await page.getByTestId('composer').press('Enter');
    const code = page.getByTestId('message-agent').last().locator('pre');
    const sees = (line: number): Promise<void> =>
      eventually(async () => (await code.textContent())!.includes(`n${line} = 1;`));
    const below = (): Promise<number> =>
      code.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    await sees(49);
    some.open();
    await sees(99);
    expect(await below()).toBeLessThan(2);
    await code.evaluate((box) => (box.scrollTop = 0));
    await eventually(async () => (await below()) > 100);
    more.open();
    await sees(149);
    expect(await code.evaluate((box) => box.scrollTop)).toBe(0);
    rest.open();
    await page.getByTestId('stop').waitFor({ state: 'detached' });
    await code.locator('.hljs-keyword').nth(149).waitFor();
    expect(await code.textContent()).toBe(lines(0, 150).trimEnd());
  });

  it('keeps over a reload for how long a reader has watched it think', async () => {
    const page = await browser.open(url);
    const rest = new Gate();
    model.reply({
      steps: [
        delta({ role: 'assistant', reasoning_content: 'Let me see.' }),
        rest,
        delta({ content: 'It is so.' }, 'stop'),
        { raw: 'data: [DONE]\n\n' },
      ],
    });
    await page.getByTestId('composer').fill('Is it so?');
    await page.getByTestId('composer').press('Enter');
    const thinking = page.getByTestId('thinking').getByRole('button');
    await thinking.getByText(/^Thinking [1-9]\d* s/).waitFor();
    rest.open();
    await page.getByTestId('message-agent').getByText('It is so.').waitFor();
    await page.getByTestId('stop').waitFor({ state: 'detached' });
    const label = await thinking.innerText();
    expect(label).toMatch(/^Thought for [1-9]\d* s$/);
    await page.reload();
    await page.getByTestId('message-agent').getByText('It is so.').waitFor();
    expect(await thinking.innerText()).toBe(label);
  });
});
