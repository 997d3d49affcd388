import type { Page } from 'playwright-core';
import type { ApiClient } from '../support/client/api-client.js';
import { describeInChromium, TestBrowser } from '../support/console/browser.js';
import { eventually } from '../support/eventually.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

const ADMIN_KEY = 'an-admin-key-of-the-tests-0123456789';
const DOOR = { name: 'open_door', description: 'Opens a door.', input_schema: { type: 'object' } };

interface Request {
  readonly id: string;
  readonly interaction_id: string;
}

describeInChromium('The console, deciding', () => {
  let data: ProcessData;
  let server: ServerProcess;
  let browser: TestBrowser;
  let url: string;
  let admin: ApiClient;
  let annsKey: string;
  let ann: ApiClient;

  beforeAll(async () => {
    data = await FILES.create();
    const auth = { AUTH: 'keys', ADMIN_KEY, APPROVAL_TIMEOUT_MS: '600000' };
    [server, browser] = await Promise.all([
      ServerProcess.start({
        ...data.env,
        ...auth,
        MODEL: 'demo/script',
        QUOTA_TOKENS_PER_DAY: '99000000',
      }),
      TestBrowser.launch(),
    ]);
    const api = await server.api();
    ({ url } = api);
    admin = api.bearing(ADMIN_KEY);
    const made = await admin.post('/keys', { user_id: 'ann', scopes: ['chat', 'decide'] });
    annsKey = made.body.key;
    ann = api.bearing(annsKey);
  });
  afterAll(async () => {
    await browser.close();
    await server.kill('SIGKILL');
    await data.remove();
  });
  afterEach(async () => {
    expect(await browser.closePages()).toEqual([]);
  });

  const open = async (path: string, key: string, options = {}): Promise<Page> => {
    const page = await browser.open(`${url}/console/${path}`, options);
    await page.locator('input[name=credential]').fill(key);
    await page.keyboard.press('Enter');
    await page.getByTestId('sign-in').waitFor({ state: 'detached' });
    return page;
  };
  /** A request of a chat of ann's, once it is pending. */
  const ask = async (chat: string, user_message: string, more: object = {}): Promise<Request> => {
    await eventually(async () => (await start(chat, user_message, more)) === 202);
    let found: Request | undefined;
    await eventually(async () => {
      const { items } = (await ann.get(`/requests?status=pending&chat_id=${chat}`)).body;
      found = (items as Request[])[0];
      return found !== undefined;
    });
    return found!;
  };
  const start = async (chat: string, user_message: string, more: object): Promise<number> => {
    const body = { user_message, on_disconnect: 'continue', ...more };
    const headers = { accept: 'application/json' };
    return (await ann.post(`/chats/${chat}/interactions`, body, headers)).status;
  };
  const card = (page: Page, { id }: Request) => page.locator(`[data-request="${id}"]`);
  /** A card that has just come takes no key as its approval, and the first press may only focus. */
  const approveByKey = (page: Page, request: Request): Promise<void> =>
    eventually(async () => {
      await page.keyboard.press('a');
      return (await card(page, request).count()) === 0;
    });
  const leaveField = (page: Page) => page.evaluate('document.activeElement.blur()');
  const focused = (page: Page, attribute: string) =>
    page.evaluate<string | null>(`document.activeElement.getAttribute('${attribute}')`);

  it('shows the whole of a call, changes it in a form, and tells what the server says of a field', async () => {
    await ask('form', 'call write {"path":"a.txt","content":"one\\ntwo"}');
    const page = await open('chats/form', annsKey);
    const shown = page.getByTestId('approval-card');
    await shown.getByText('+two').waitFor();
    await shown.getByText('medium risk').waitFor();
    await shown.getByText(/expires in \d+ min/).waitFor();
    await page.getByTestId('edit-input').click();
    await page.locator('[data-field=path]').fill('');
    await page.getByTestId('approve').click();
    await shown.getByRole('alert').getByText('Give a path').waitFor();
    await page.locator('[data-field=path]').fill('b.txt');
    await page.getByRole('button', { name: 'As JSON' }).click();
    const json = page.getByTestId('input-json');
    expect(await json.inputValue()).toContain('"path": "b.txt"');
    await json.fill('{"path":');
    expect(await page.getByTestId('approve').isDisabled()).toBe(true);
    await json.fill('{"path": "c.txt", "content": "three"}');
    await page.getByTestId('approve').click();
    await page.getByText(/Approved with changes by ann, \d+ s ago/).waitFor();
    await page.getByTestId('message-agent').getByText('Created c.txt').first().waitFor();
  });

  it('opens what changes a call once it knows the schema, so that nothing moves under the pointer', async () => {
    await ask('schema', 'call bash {"command":"ls"}');
    // Requests of a page with a service worker pass the route by.
    const page = await open('', annsKey, { serviceWorkers: 'block' });
    let answer!: () => void;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/tools', async (route) => {
      await answered;
      await route.continue();
    });
    await page.goto(`${url}/console/chats/schema`);
    await page.getByTestId('edit-input').click();
    await page.getByTestId('edit-input').and(page.locator('[aria-expanded=true]')).waitFor();
    const asJson = page.getByRole('button', { name: 'As JSON' });
    expect(await asJson.count()).toBe(0);
    answer();
    await page.locator('[data-field=command]').waitFor();
    await asJson.click();
    await page.getByTestId('input-json').waitFor();
  });

  it('keeps what a person has begun to change while they read what came long before', async () => {
    const long = Array.from({ length: 80 }, (_, line) => `line ${line}`).join('\n');
    const messages = [1, 2, 3, 4, 5, 6].map((no) => ({ role: 'user', content: `${no}: ${long}` }));
    expect((await ann.post('/chats', { id: 'read', messages })).status).toBe(201);
    const request = await ask('read', 'call write {"path":"a.txt","content":"one"}');
    const page = await open('chats/read', annsKey);
    await card(page, request).getByTestId('edit-input').click();
    await card(page, request).locator('[data-field=path]').fill('mine.txt');
    const log = page.getByRole('log');
    await log.hover();
    await page.mouse.wheel(0, -100_000);
    await log.getByText('1: line 0').waitFor();
    await log.getByText('5: line 0').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'To the end' }).click();
    await card(page, request).getByTestId('approve').click();
    await page.getByText('Created mine.txt').first().waitFor();
  });

  it('keeps an answer, a reason and an input while a person looks at another page', async () => {
    const asked = await ask('answering', 'ask me which colour I like: red or blue');
    const call = await ask('reasoning', 'call bash {"command":"ls"}');
    const page = await open('chats/answering', annsKey);
    await card(page, asked).getByTestId('answer').fill('a deep violet');
    await page.getByRole('link', { name: 'Inbox' }).click();
    await card(page, call).getByTestId('reason').fill('List another folder.');
    await card(page, call).getByTestId('edit-input').click();
    await card(page, call).locator('[data-field=command]').fill('ls -a');
    expect(await card(page, asked).getByTestId('answer').inputValue()).toBe('a deep violet');
    await page.goBack();
    expect(await card(page, asked).getByTestId('answer').inputValue()).toBe('a deep violet');
    await card(page, asked).getByRole('button', { name: 'Answer' }).click();
    await page.getByText('ask_human says: a deep violet').waitFor();
    await page.goForward();
    expect(await card(page, call).getByTestId('reason').inputValue()).toBe('List another folder.');
    expect(await card(page, call).locator('[data-field=command]').inputValue()).toBe('ls -a');
    await card(page, call).getByTestId('reject').click();
    await card(page, call).waitFor({ state: 'detached' });
  });

  it('declines a question, and says who did', async () => {
    const request = await ask('declined', 'ask me which colour I like: red or blue');
    const page = await open('chats/declined', annsKey);
    await card(page, request).getByTestId('decline').click();
    await page.getByText(/Declined by ann, \d+ s ago/).waitFor();
    await page.getByTestId('message-agent').getByText('ask_human says').waitFor();
    const { body } = await ann.get('/requests?status=settled&chat_id=declined');
    expect(body.items).toMatchObject([{ id: request.id, settlement: { answer: null } }]);
  });

  it('changes no number whose digits it can’t keep', async () => {
    await ask('digits', 'call bash {"command":"ls"}');
    const page = await open('chats/digits', annsKey);
    await page.getByTestId('edit-input').click();
    await page.getByRole('button', { name: 'As JSON' }).click();
    await page.getByTestId('input-json').fill('{"command":"ls","timeout_ms":9007199254740993}');
    await page.getByText('9007199254740993. A changed input').waitFor();
    expect(await page.getByTestId('approve').isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'As a form' }).isDisabled()).toBe(true);
  });

  it('previews the rule that it remembers, and what that would have decided', async () => {
    const page = await open('chats/kept', annsKey);
    for (const message of ['run `echo a`', 'run `echo b`']) {
      const request = await ask('kept', message);
      if (message.endsWith('a`')) await page.goto(`${url}/console/chats/kept`);
      await card(page, request).getByTestId('approve').click();
      await card(page, request).waitFor({ state: 'detached' });
    }
    const request = await ask('kept', 'run `echo a`');
    await card(page, request).getByTestId('remember').selectOption('session');
    const preview = page.getByTestId('rule-preview');
    await preview.getByText('exactly the command').waitFor();
    await preview.getByText('decided 1 of 2 earlier calls of bash').waitFor();
    await page.getByTestId('remember').selectOption('global');
    await preview.getByRole('alert').getByText('scope "admin"').waitFor();
    await page.getByTestId('remember').selectOption('session');
    await preview.getByText('exactly the command').waitFor();
    await page.getByTestId('approve').click();
    await card(page, request).waitFor({ state: 'detached' });
    const { items } = (await ann.get('/permissions/rules?scope=session&scope_id=kept')).body;
    expect(items).toMatchObject([{ decision: 'allow', matcher: { prefixes: ['echo a'] } }]);
  });

  it('collapses at once where another decides, and says who', async () => {
    const { id, interaction_id } = await ask('twice', 'run `echo one`');
    const page = await open('chats/twice', annsKey);
    await page.getByTestId('approval-card').waitFor();
    await ann.patch('/chats/twice', { visibility: 'tenant' });
    const path = `/chats/twice/interactions/${interaction_id}/approve`;
    const body = { approval_id: id, approved: false, reason: 'Not today.' };
    expect((await admin.post(path, body)).status).toBe(200);
    await page.getByTestId('approval-card').waitFor({ state: 'detached' });
    await page.getByText(/Rejected by admin, \d+ s ago: Not today\./).waitFor();
  });

  it('decides by keys alone, lists them, and leaves fields alone', async () => {
    const first = await ask('keys-1', 'run `echo one`');
    const second = await ask('keys-2', 'run `echo two`');
    const page = await open('inbox', annsKey);
    await card(page, second).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Reject: to the reason').waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('Escape');
    await card(page, first).focus();
    await page.keyboard.press('j');
    expect(await focused(page, 'data-request')).toBe(second.id);
    await page.keyboard.press('k');
    await page.keyboard.press('e');
    await card(page, first).locator('[data-field=command]').fill('echo changed');
    await page.keyboard.press('Escape');
    expect(await focused(page, 'data-request')).toBe(first.id);
    await approveByKey(page, first);
    await page.getByText(/Approved with changes by ann/).waitFor();
    await card(page, second).focus();
    await page.keyboard.press('r');
    expect(await focused(page, 'data-testid')).toBe('reason');
    await page.keyboard.type('area');
    await page.keyboard.press('Enter');
    await page.getByText(/Rejected by ann, \d+ s ago: area/).waitFor();
  });

  it('takes no key for a card that came in place of another, and shows what a key would approve', async () => {
    const first = await ask('seen-1', 'run `echo one`');
    const long = `echo harmless\n${'\n'.repeat(400)}touch unseen`;
    const second = await ask('seen-2', `call bash ${JSON.stringify({ command: long })}`);
    const page = await open('inbox', annsKey);
    const later = card(page, second);
    const pending = async () => (await ann.get('/requests?status=pending')).body.items as Request[];
    await later.waitFor();
    await card(page, first).focus();
    const decision = { approval_id: first.id, approved: false };
    await ann.post(`/chats/seen-1/interactions/${first.interaction_id}/approve`, decision);
    await card(page, first).waitFor({ state: 'detached' });
    const waiting = await pending();
    await page.keyboard.press('a');
    await page.keyboard.press('a');
    expect(await focused(page, 'data-request')).not.toBeNull();
    expect(await pending()).toEqual(waiting);
    await later.getByRole('button', { name: /Show \d+ more lines/ }).click();
    await later.getByText('touch unseen').first().scrollIntoViewIfNeeded();
    await later.focus();
    await approveByKey(page, second);
  });

  it('comes from an empty message to what waits', async () => {
    const request = await ask('up', 'run `echo up`');
    const page = await open('chats/up', annsKey);
    await card(page, request).waitFor();
    await page.getByTestId('composer').focus();
    await page.keyboard.type('a');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('ArrowUp');
    expect(await focused(page, 'data-request')).toBe(request.id);
    await approveByKey(page, request);
  });

  it('goes to chats and pages by name', async () => {
    await ask('named', 'run `echo palette`');
    const page = await open('inbox', annsKey);
    await page.getByTestId('chat-list').getByText('echo palette').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByTestId('palette').getByRole('combobox').fill('echo pal');
    await page.keyboard.press('Enter');
    await page.waitForURL(/chats\/named/);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('op usage');
    await page.keyboard.press('Enter');
    await page.waitForURL(/operate\/usage/);
    await page.getByTestId('missing-scope').getByText('operate').first().waitFor();
  });

  it('has in the inbox what waits in all chats, in step with other tabs, and in its title', async () => {
    const question = await ask('colour', 'ask me which colour: red, green or blue');
    const call = await ask('door', 'call open_door {"wide":true}', { client_tools: [DOOR] });
    const page = await open('inbox', annsKey, { viewport: { width: 390, height: 844 } });
    const tab = await page.context().newPage();
    await tab.goto(`${url}/console/inbox`);
    await tab.locator('input[name=credential]').fill(annsKey);
    await tab.keyboard.press('Enter');
    await card(tab, call).waitFor();
    const waiting = async (): Promise<number> => Number(/\d+/.exec(await page.title())?.[0] ?? 0);
    const before = await waiting();
    expect(before).toBeGreaterThanOrEqual(2);

    const place = card(page, call).locator('xpath=..').getByText('See it in its chat');
    expect(await place.getAttribute('href')).toContain(`/chats/door#${call.interaction_id}`);
    await card(page, call).getByRole('textbox').fill('The door is open.');
    await card(page, call).getByRole('button', { name: 'Give the result' }).click();
    await card(page, question).getByTestId('option').getByText('green').click();
    for (const each of [page, tab]) {
      await each.getByText(/Answered by ann, \d+ s ago: green/).waitFor();
      await card(each, call).waitFor({ state: 'detached' });
    }
    await eventually(async () => (await waiting()) === before - 2);
  });

  it('explains what the rules say, adds a rule and deletes it', async () => {
    const page = await open('operate/rules', ADMIN_KEY);
    const dryRun = page.getByTestId('dry-run');
    await dryRun.getByLabel('Input').fill('{"command": "git log; rm -rf x"}');
    await dryRun.getByRole('button').click();
    await page.getByTestId('verdict').getByRole('cell', { name: 'rm -rf x' }).waitFor();
    await page.getByRole('button', { name: 'Add a rule' }).click();
    const form = page.getByTestId('add-rule');
    await form.getByLabel('About').selectOption('regex');
    await form.getByRole('textbox', { name: 'Pattern' }).fill('(');
    await form.getByRole('button').click();
    await form.getByRole('alert').getByText('matcher.pattern').waitFor();
    await form.getByLabel('About').selectOption('command_prefix');
    await form.getByLabel('Beginnings').fill('rm -rf');
    await form.getByLabel('Decision').selectOption('deny');
    await form.getByRole('button').click();
    const rows = page.getByRole('table', { name: 'Rules' }).getByRole('row');
    const row = rows.filter({ hasText: 'rm -rf' });
    await row.waitFor();
    await dryRun.getByRole('button').click();
    await page.getByTestId('verdict').getByText('deny').first().waitFor();
    await row.getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
  });

  it('makes a key that it shows once, and takes it away', async () => {
    const page = await open('operate/keys', ADMIN_KEY);
    await page.getByRole('button', { name: 'Create a key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('User').fill('bob');
    await dialog.getByRole('button', { name: 'Create a key' }).click();
    const key = await dialog.getByTestId('new-key').innerText();
    const bob = (await server.api()).bearing(key);
    expect((await bob.get('/chats')).status).toBe(200);
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'copied' }).click();
    const row = page.getByRole('row').filter({ hasText: 'bob' });
    expect(await row.innerText()).not.toContain(key);
    await row.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    await eventually(async () => (await bob.get('/chats')).status === 401);
  });

  it('makes one key, though Enter is pressed again before the answer', async () => {
    const page = await open('operate/keys', ADMIN_KEY, { serviceWorkers: 'block' });
    let made = 0;
    let answer!: () => void;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/keys', async (route) => {
      if (route.request().method() === 'POST') {
        made++;
        await answered;
      }
      await route.continue();
    });
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('dialog').getByLabel('User').fill('carl');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    answer();
    await page.getByTestId('new-key').waitFor();
    expect(made).toBe(1);
  });

  it('cancels what runs, and says who did what', async () => {
    await ask('long', 'run `echo long`');
    const page = await open('operate/runs', ADMIN_KEY);
    const row = page.getByRole('row').filter({ hasText: 'long' });
    await row.getByText('needs a decision').waitFor();
    await row.getByRole('button', { name: 'Cancel' }).click();
    await row.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('row').filter({ hasText: 'long' }).getByText('cancelled').waitFor();
    for (const [name, text] of [
      ['Usage', 'Tokens in'],
      ['Usage', ' of 99,000,000'],
      ['Tools', 'calculator'],
      ['Agents', 'deliberate'],
      ['Models', 'demo/script'],
      ['Health', 'Sandbox'],
      ['Connect', '/v1'],
      ['Connect', 'client.sendMessageStream'],
    ] as const) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByTestId('operate').getByText(text).first().waitFor();
    }
  });

  it('names the scope that is missing', async () => {
    const page = await open('operate/audit', annsKey);
    await page.getByTestId('missing-scope').getByText('admin', { exact: true }).waitFor();
  });

  it('tells what waits while nobody looks, where that was asked for', async () => {
    const page = await open('inbox', annsKey, { permissions: ['notifications'] });
    await page.evaluate(SPY);
    await page.getByRole('button', { name: 'Notify me' }).click();
    await page.getByRole('button', { name: 'Notifications on' }).waitFor();
    await ask('told', 'run `echo told`');
    await page.waitForFunction('shown.length > 0');
    expect(await page.evaluate('shown[0].body')).toContain('echo told');
    await page.evaluate('shown[0].dispatchEvent(new Event("click"))');
    await page.waitForURL(/chats\/told#int_/);
    await leaveField(page);
  });
});

/** Notes notifications instead of showing them, in a page that says that nobody sees it. */
const SPY = `
  globalThis.shown = [];
  globalThis.Notification = class extends EventTarget {
    static permission = 'granted';
    static requestPermission = () => Promise.resolve('granted');
    constructor(title, { body }) {
      super();
      this.body = body;
      shown.push(this);
    }
    close() {}
  };
  Object.defineProperty(document, 'hidden', { value: true });
`;
