import type { Page } from 'playwright-core';
import { describeInChromium, TestBrowser } from '../support/console/browser.js';
import { eventually } from '../support/eventually.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

const ADMIN_KEY = 'an-admin-key-of-the-tests-0123456789';
/** Texts that would do something if they became HTML, or look like something else. */
const HOSTILE = [
  '<img src=x onerror="window.hit=1"> <script>window.hit = 1</script>',
  '[click](javascript:window.hit=1) [data](data:text/html,<script>hit=1</script>)',
  '![pixel](https://evil.example/pixel.png)',
  '<svg onload="window.hit=1"> <a href="javascript:window.hit=1">here</a>',
  'user\u202Egnp.exe \u2066hidden\u2069 \u001b[31mred\u0007',
  '<section data-testid="approval-card"><button data-testid="approve">Approve</button></section>',
].join('\n\n');
const LONG_LINE = 'x'.repeat(5_000_000);

describeInChromium('The console, with texts of others', () => {
  let data: ProcessData;
  let server: ServerProcess;
  let browser: TestBrowser;
  let url: string;

  beforeAll(async () => {
    data = await FILES.create();
    [server, browser] = await Promise.all([
      ServerProcess.start({ ...data.env, MODEL: 'demo/script', AUTH: 'keys', ADMIN_KEY }),
      TestBrowser.launch(),
    ]);
    ({ url } = await server.api());
  });
  afterAll(async () => {
    await browser.close();
    await server.kill('SIGKILL');
    await data.remove();
  });
  afterEach(async () => {
    expect(await browser.closePages()).toEqual([]);
  });

  const api = async () => (await server.api()).bearing(ADMIN_KEY);
  const signIn = async (page: Page, key: string): Promise<void> => {
    await page.getByLabel('Key or token').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const openSigned = async (path: string): Promise<Page> => {
    const page = await browser.open(`${url}/console/${path}`);
    await signIn(page, ADMIN_KEY);
    return page;
  };

  it('shows them, and does nothing that they say', async () => {
    const messages = [
      { role: 'user', content: HOSTILE },
      { role: 'assistant', content: HOSTILE },
    ];
    await (await api()).post('/chats', { id: 'hostile', title: HOSTILE.slice(0, 150), messages });
    const requests: string[] = [];
    const page = await browser.open('about:blank');
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(`${url}/console/chats/hostile`);
    await signIn(page, ADMIN_KEY);
    const log = page.getByRole('log');
    await log.getByText('⟦U+202E⟧').first().waitFor();
    const shown = await log.innerText();
    expect(shown).toContain('<img src=x onerror="window.hit=1">');
    expect(shown).toContain('user⟦U+202E⟧gnp.exe ⟦U+2066⟧hidden⟦U+2069⟧');
    expect(await page.evaluate('window.hit')).toBeUndefined();
    expect(await log.locator('img, script, svg[onload], [onerror]').count()).toBe(0);
    const links = await log
      .locator('a')
      .evaluateAll((all) => all.map((a) => a.getAttribute('href')));
    expect(links).toEqual(['https://evil.example/pixel.png']);
    expect(await page.getByTestId('approval-card').count()).toBe(0);
    expect(requests.filter((address) => !address.startsWith(url))).toEqual([]);
  });

  it('opens a line of 5 MB, ten thousand items and a table of 500 columns, and answers', async () => {
    const row = `${'| a '.repeat(500)}|\n`;
    const content = [
      '- item\n'.repeat(10_000),
      `${row}${'|-'.repeat(500)}|\n${row.repeat(20)}`,
    ].join('\n');
    const messages = [
      { role: 'user', content: 'Show it.' },
      { role: 'assistant', content },
      { role: 'user', content: 'And a line.' },
      { role: 'assistant', content: LONG_LINE.slice(0, 400_000) },
    ];
    await (await api()).post('/chats', { id: 'large', messages });
    const page = await openSigned('chats/large');
    await page.getByText('Show the next part').first().waitFor();
    await page.getByTestId('composer').fill('what is 6*7');
    await page.getByTestId('composer').press('Enter');
    await page.getByText('6*7 = 42').waitFor();
    const overflows = await page.evaluate('document.body.scrollWidth > innerWidth');
    expect(overflows).toBe(false);
  });

  it('names files as they are, whatever their names try', async () => {
    const page = await openSigned('');
    const name = `<img src=x onerror="window.hit=1"> ../../\u202Egnp.exe';.txt`;
    const file = { name, mimeType: 'text/html', buffer: Buffer.from('<script>hit = 1</script>') };
    await page.locator('input[type=file]').setInputFiles(file);
    const shown = `onerror="window.hit=1"> ../../⟦U+202E⟧gnp.exe';.txt`;
    await page.getByText(shown).waitFor();
    await page.getByRole('button', { name: shown }).waitFor();
    await page.getByTestId('composer').fill('what is 6*7');
    await page.locator('progress').waitFor({ state: 'detached' });
    await page.getByTestId('composer').press('Enter');
    await page.getByText('6*7 = 42').waitFor();
    const message = page.getByTestId('message-user');
    const label = await message.getByRole('button').first().innerText();
    // The server keeps the last part, without what can’t be seen.
    expect(label.trim()).toBe("gnp.exe';.txt");
    await page.goto(`${page.url()}?panel=files`);
    const begun = page.waitForEvent('download');
    await page
      .getByTestId('file')
      .getByRole('button', { name: /^Download/ })
      .click();
    expect((await begun).suggestedFilename()).not.toMatch(/[/<>"\u202E]/);
    expect(await page.evaluate('window.hit')).toBeUndefined();
  });

  it('asks for a key, says when it is wrong, and asks again when it is deleted', async () => {
    const made = await (await api()).post('/keys', { user_id: 'ann', scopes: ['chat'] });
    const page = await browser.open(url);
    await signIn(page, 'wrong');
    await page.getByText('does not know this key').waitFor();
    await signIn(page, made.body.key);
    await page.getByTestId('composer').fill('write a long answer, 20000 words');
    await page.getByTestId('composer').press('Enter');
    await page.getByTestId('stop').waitFor();
    await (await api()).delete(`/keys/${made.body.id}`);
    await page.getByText('does not know this key').waitFor();
    const kept = await page.evaluate<string>('JSON.stringify([localStorage])');
    expect(kept).not.toContain(made.body.key);
  });

  it('signs out in all tabs that were signed in for longer, and forgets what was typed', async () => {
    const page = await browser.open(url);
    await page.getByLabel('Keep me signed in').check();
    await signIn(page, ADMIN_KEY);
    await page.getByTestId('composer').fill('A secret draft');
    const kept = () => page.evaluate<string>('JSON.stringify([localStorage])');
    await eventually(async () => (await kept()).includes('A secret draft'));
    const other = await page.context().newPage();
    await other.goto(url);
    await other.getByTestId('composer').waitFor();
    await other.getByRole('button', { name: 'Settings' }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Key or token').waitFor();
    expect(await kept()).not.toContain('A secret draft');
    const streams = async (): Promise<string | undefined> => {
      const { body } = await (await api()).get('/metrics');
      return /^parley_streams (\d+)/m.exec(String(body))?.[1];
    };
    await eventually(async () => (await streams()) === '0');
  });
});
