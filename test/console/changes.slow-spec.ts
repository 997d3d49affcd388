import type { BrowserContextOptions, Page } from 'playwright-core';
import type { ApiClient } from '../support/client/api-client.js';
import { describeInChromium, TestBrowser } from '../support/console/browser.js';
import { eventually } from '../support/eventually.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

const ADMIN_KEY = 'an-admin-key-of-the-tests-0123456789';
const HOUR_MS = 3_600_000;

describeInChromium('The console, while things change around it', () => {
  let data: ProcessData;
  let server: ServerProcess;
  let browser: TestBrowser;
  let url: string;
  let admin: ApiClient;
  const keys: Record<string, string> = {};
  let ann: ApiClient;

  const makeKey = async (user_id: string): Promise<{ readonly id: string; readonly key: string }> =>
    (await admin.post('/keys', { user_id, scopes: ['chat', 'decide'] })).body;

  beforeAll(async () => {
    data = await FILES.create();
    const auth = { AUTH: 'keys', ADMIN_KEY, APPROVAL_TIMEOUT_MS: '600000' };
    [server, browser] = await Promise.all([
      ServerProcess.start({ ...data.env, ...auth, MODEL: 'demo/script' }),
      TestBrowser.launch(),
    ]);
    const api = await server.api();
    ({ url } = api);
    admin = api.bearing(ADMIN_KEY);
    for (const name of ['ann', 'bob']) keys[name] = (await makeKey(name)).key;
    ann = api.bearing(keys['ann']!);
  });
  afterAll(async () => {
    await browser.close();
    await server.kill('SIGKILL');
    await data.remove();
  });
  afterEach(async () => {
    expect(await browser.closePages()).toEqual([]);
  });

  const signIn = async (page: Page, key: string): Promise<void> => {
    await page.getByLabel('Key or token').fill(key);
    await page.keyboard.press('Enter');
    await page.getByTestId('sign-in').waitFor({ state: 'detached' });
  };
  const open = async (
    path: string,
    { key = keys['ann']!, ...options }: BrowserContextOptions & { readonly key?: string } = {},
  ): Promise<Page> => {
    const page = await browser.open(`${url}/console/${path}`, options);
    await signIn(page, key);
    return page;
  };
  const answered = (page: Page, text: string | RegExp): Promise<void> =>
    page.getByTestId('message-agent').getByText(text).last().waitFor();
  const drafts = (page: Page): Promise<string> => page.evaluate('JSON.stringify(localStorage)');

  it('says who is signed in', async () => {
    const page = await open('');
    await page.getByTitle('Signed in as ann').waitFor();
  });

  it('keeps a message that was refused with its key, for the next sign-in', async () => {
    const { id, key } = await makeKey('ann');
    const page = await open('', { key });
    await page.getByTestId('composer').fill('a message worth keeping');
    await page.route('**/interactions', async (route) => {
      await admin.delete(`/keys/${id}`);
      await route.continue();
    });
    await page.getByTestId('composer').press('Enter');
    await page.getByText('does not know this key').waitFor();
    await signIn(page, keys['ann']!);
    expect(await page.getByTestId('composer').inputValue()).toBe('a message worth keeping');
  });

  it('shows a chat as soon as it is made, or may be seen', async () => {
    const page = await open('chats/later');
    await page.getByText('This chat is not there').waitFor();
    await ann.post('/chats/later/interactions?wait=true', { user_message: 'what is 6*7' });
    await answered(page, '6*7 = 42');
    const other = await open('chats/later', { key: keys['bob']! });
    await other.getByText('This chat is not there').waitFor();
    await ann.patch('/chats/later', { visibility: 'tenant' });
    await answered(other, '6*7 = 42');
    await ann.patch('/chats/later', { visibility: 'private' });
    await other.getByText('This chat is not there').waitFor();
    await other.getByText('6*7 = 42').waitFor({ state: 'detached' });
    await ann.delete('/chats/later');
    await page.getByText('This chat is not there').waitFor();
    await ann.post('/chats/later/interactions?wait=true', { user_message: 'what is 2*7' });
    await answered(page, '2*7 = 14');
  });

  it('forgets what was typed in a chat that is deleted', async () => {
    await ann.post('/chats/typed/interactions?wait=true', { user_message: 'what is 6*7' });
    const page = await open('chats/typed');
    await page.getByTestId('composer').fill('half a thought');
    await eventually(async () => (await drafts(page)).includes('half a thought'));
    await ann.delete('/chats/typed');
    await page.getByText('This chat is not there').waitFor();
    await eventually(async () => !(await drafts(page)).includes('half a thought'));
  });

  it('does not put an old draft in place of one of another tab', async () => {
    await ann.post('/chats/drafts/interactions?wait=true', { user_message: 'what is 6*7' });
    const page = await open('chats/drafts');
    await page.getByTestId('composer').fill('old');
    await eventually(async () => (await drafts(page)).includes('"old"'));
    const other = await page.context().newPage();
    await other.goto(page.url());
    await signIn(other, keys['ann']!);
    await other.getByTestId('composer').fill('newer');
    await eventually(async () => (await drafts(other)).includes('"newer"'));
    await page.getByTestId('new-chat').click();
    await page.getByRole('heading', { name: 'What shall we do?' }).waitFor();
    expect(await drafts(page)).toContain('"newer"');
  });

  it('keeps two people in step who write at once', async () => {
    await ann.post('/chats/both/interactions?wait=true', { user_message: 'what is 6*7' });
    await ann.patch('/chats/both', { visibility: 'tenant' });
    const pages = [await open('chats/both'), await open('chats/both', { key: keys['bob']! })];
    await Promise.all(pages.map((page) => answered(page, '6*7 = 42')));
    for (const [n, page] of pages.entries())
      await page.getByTestId('composer').fill(`what is ${n + 1}+50`);
    await Promise.all(pages.map((page) => page.getByTestId('composer').press('Enter')));
    // The second is a note to the agent, waits for the first, or is refused and kept: never lost.
    const all = async (): Promise<string> =>
      (await Promise.all(pages.map((page) => page.getByRole('main').innerText()))).join('\n');
    await eventually(async () => {
      const shown = await all();
      const typed = await Promise.all(
        pages.map((page) => page.getByTestId('composer').inputValue()),
      );
      return [1, 2].every((n) => `${shown} ${typed.join(' ')}`.includes(`what is ${n}+50`));
    });
    for (const page of pages) await page.getByTestId('stop').waitFor({ state: 'detached' });
    const turns = await Promise.all(pages.map((page) => page.getByTestId('message-user').count()));
    expect(turns[0]).toBe(turns[1]);
  });

  it.each([-5, 5])('counts by the clock of the server where its own is %d h off', async (hours) => {
    const chat = `clock${hours}`;
    const body = { user_message: 'run `echo late`', on_disconnect: 'continue' };
    await ann.post(`/chats/${chat}/interactions`, body, { accept: 'application/json' });
    const page = await browser.open('about:blank');
    await page.addInitScript(
      `const real = Date.now; Date.now = () => real() + ${hours * HOUR_MS};`,
    );
    await page.goto(`${url}/console/chats/${chat}`);
    await signIn(page, keys['ann']!);
    await page
      .getByTestId('approval-card')
      .getByText(/\b(?:9|10) min/)
      .waitFor();
    await page.getByTestId('approve').click();
    await page.getByText(/Approved by ann, \d+ s ago/).waitFor();
  });

  it('loads itself anew when the server was upgraded, and says so where that is no help', async () => {
    const page = await open('', { serviceWorkers: 'block' });
    let missing = 1;
    await page.route(/assets\/inbox-page-.*\.js/, (route) =>
      missing-- > 0 ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.getByRole('link', { name: /Inbox/ }).click();
    await page.getByTestId('inbox').waitFor();
    await page.route(/assets\/operate-page-.*\.js/, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Operate' }).click();
    await page.getByText('may have been upgraded').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByTestId('operate').waitFor();
    // React tells the console of what it could not draw.
    await browser.closePages();
  });
});
