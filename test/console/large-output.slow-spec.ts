import type { Locator, Page } from 'playwright-core';
import { describeInChromium, TestBrowser } from '../support/console/browser.js';
import { eventually } from '../support/eventually.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

const LENGTH = 5_000_000;
/** Each makes an output of `LENGTH`, of which the card shows so many lines at first. */
const COMMANDS = {
  'one line': [`head -c ${LENGTH} /dev/zero | tr '\\0' x`, 4],
  'many lines': [`seq -f 'line %.0f of many' 1000000 | head -c ${LENGTH}`, 8],
} as const;
/** Limit of what may be drawn of an output, in characters. */
const MOST_DRAWN = 70_000;
const PHONE = { width: 390, height: 844 };

describeInChromium('The console, with an output of 5 MB', () => {
  let data: ProcessData;
  let model: FakeOpenAi;
  let server: ServerProcess;
  let browser: TestBrowser;
  let url: string;

  beforeAll(async () => {
    data = await FILES.create();
    model = await FakeOpenAi.start();
    const env = { MODEL: 'openai/any', OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'any' };
    const limits = { TOOL_OUTPUT_LIMIT: '6000000', MODEL_CONTEXT_TOKENS: '100000000' };
    [server, browser] = await Promise.all([
      ServerProcess.start({ ...data.env, ...env, ...limits }),
      TestBrowser.launch(),
    ]);
    ({ url } = await server.api());
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

  /** A page that was open while the command ran, as one opened later has no such output. */
  const openAndRun = async (chat: string, command: string): Promise<Page> => {
    const interactions = `/chats/${chat}/interactions?wait=true`;
    const api = await server.api();
    model.reply({ text: 'Ready.' });
    await api.post(interactions, { user_message: 'Hello.' });
    const permissions = ['clipboard-read', 'clipboard-write'];
    const page = await browser.open(`${url}/console/chats/${chat}`, {
      viewport: PHONE,
      permissions,
    });
    await page.getByText('Ready.').waitFor();
    model.reply({ calls: [{ name: 'bash', arguments: { command } }] });
    await api.post(interactions, { user_message: 'Run it.', approval_mode: 'auto' });
    return page;
  };
  const lengthOf = (of: Locator): Promise<number> =>
    of.evaluate((it) => (it.textContent as string).length);
  /** What the button puts into the clipboard. */
  const copiedBy = async (button: Locator): Promise<string> => {
    const page = button.page();
    await page.evaluate(`navigator.clipboard.writeText('')`);
    await button.click();
    let text = '';
    await eventually(async () => {
      text = await page.evaluate<string>('navigator.clipboard.readText()');
      return text !== '';
    });
    return text;
  };
  const expectNoOverflow = async (page: Page): Promise<void> => {
    const overflow = `Math.max(document.body.scrollWidth - innerWidth,
      ...[...document.querySelectorAll('pre')].map((it) => it.scrollWidth - it.clientWidth))`;
    expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
  };

  it.each(Object.entries(COMMANDS))(
    'shows the beginning of %s in its card and in the log, more on request, and copies all',
    async (name, [command, lines]) => {
      const page = await openAndRun(name.replace(' ', '-'), command);
      const call = page.getByTestId('tool-call');
      await call.getByText('done', { exact: true }).waitFor();
      await call.getByRole('button', { name: /bash/ }).click();
      const output = call.locator('pre').last();
      expect((await output.innerText()).trimEnd().split('\n')).toHaveLength(lines);
      expect(await lengthOf(output)).toBeLessThan(5000);
      await expectNoOverflow(page);
      await call.getByRole('button', { name: /lines more|Long lines whole/ }).click();
      await call.getByRole('button', { name: 'Fewer lines' }).waitFor();
      await output.getByText(/4,940,\d{3} characters are not shown/).waitFor();
      expect(await lengthOf(output)).toBeLessThan(MOST_DRAWN);
      await expectNoOverflow(page);
      const whole = await copiedBy(call.getByRole('button', { name: 'Copy all' }));
      expect(whole.length).toBeGreaterThanOrEqual(LENGTH);
      await call.getByRole('button', { name: 'Fewer lines' }).click();
      expect(await lengthOf(output)).toBeLessThan(5000);

      await page.goto(`${page.url()}?panel=log`);
      await page.getByLabel('Type of record').selectOption('TOOL_RESULT');
      const row = page.getByTestId('log-view').locator('[role=option]');
      await row.click();
      const record = page.getByTestId('log-record');
      await record.getByText('characters more. Copy has all.').waitFor();
      expect(await lengthOf(record)).toBeLessThan(MOST_DRAWN);
      expect(await lengthOf(row)).toBeLessThan(500);
      await expectNoOverflow(page);
      const json = await copiedBy(record.getByRole('button', { name: 'Copy as JSON' }));
      const { tool_output } = JSON.parse(json) as { tool_output: string };
      expect(tool_output === whole).toBe(true);
    },
  );
});
