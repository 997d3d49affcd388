import type { Page } from 'playwright-core';
import { describeInChromium, TestBrowser } from '../support/console/browser.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

describeInChromium('The console', () => {
  let data: ProcessData;
  let server: ServerProcess;
  let browser: TestBrowser;
  let page: Page;

  beforeAll(async () => {
    data = await FILES.create();
    [server, browser] = await Promise.all([
      ServerProcess.start({ ...data.env, MODEL: 'demo/script' }),
      TestBrowser.launch(),
    ]);
    const { url } = await server.api();
    page = await browser.open(url);
  });
  afterAll(async () => {
    await browser.close();
    await server.kill('SIGKILL');
    await data.remove();
  });

  const say = async (message: string): Promise<void> => {
    await page.getByTestId('composer').fill(message);
    await page.getByTestId('composer').press('Enter');
  };
  const answers = (text: string): Promise<void> =>
    page.getByTestId('message-agent').last().getByText(text).last().waitFor();
  const ends = (): Promise<void> => page.getByTestId('stop').waitFor({ state: 'detached' });

  it('leads from / to a streamed answer with its call, its thought and its tokens', async () => {
    await say('what is 6*7');
    await page.waitForURL(/\/console\/chats\//);
    await answers('6*7 = 42');
    await ends();
    expect(await page.getByTestId('message-user').innerText()).toContain('what is 6*7');
    await page.getByTestId('tool-call').getByRole('button').first().click();
    await page.getByTestId('tool-call').locator('pre').filter({ hasText: '42' }).waitFor();
    await page.getByTestId('thinking').getByRole('button').click();
    await page.getByText('This is arithmetic').waitFor();
    expect(await page.getByTestId('usage').first().innerText()).toMatch(/tokens/);
    expect(await page.getByTestId('connection').innerText()).toContain('live');
    await page.getByTestId('chat-list').getByText('what is 6*7').waitFor();
    await page.reload();
    await answers('6*7 = 42');
  });

  it('shows text while it arrives, and the same text when it has ended', async () => {
    await say('write a long answer, 200 words');
    const text = page.getByTestId('message-agent').last();
    await page.getByTestId('stop').waitFor();
    await text
      .getByText(/\w{4,}/)
      .last()
      .waitFor();
    const begun = await text.innerText();
    await ends();
    expect((await text.innerText()).length).toBeGreaterThan(begun.length);
  });

  it('asks before a call that writes, and runs it once it is approved', async () => {
    await say('call write {"path":"note.txt","content":"hello"}');
    const card = page.getByTestId('approval-card');
    await card.getByText('+hello').waitFor();
    await card.getByTestId('approve').click();
    await answers('Created note.txt');
    await ends();
    expect(await browser.closePages()).toEqual([]);
  });
});
