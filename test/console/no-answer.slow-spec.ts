import type { Page, Route } from 'playwright-core';
import { describeInChromium, TestBrowser } from '../support/console/browser.js';
import { Gate } from '../support/gate.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

interface View {
  /** What it reads. */
  readonly of: RegExp;
  /** Its words until the answer comes, and when there is none. */
  readonly loading?: string;
  readonly failed?: string;
  /** False for one that goes on trying without being told to. */
  readonly hasRetry?: false;
  /** A selector of what is there then. */
  readonly shown: string;
}

const LOGS = /\/interactions\/[^/]+\/events/;
/** All but the files of the page and the streams that a page of operators does not show. */
const ANY = /^(?!.*\/console\/)(?!.*\/events).*$/;
const VIEWS: Readonly<Record<string, View>> = {
  'chats/known/board': {
    of: /\/chats\/known\/events/,
    failed: 'The page goes on trying.',
    shown: '[data-testid=task-card]',
  },
  inbox: {
    of: /:\d+\/events/,
    failed: 'The server does not answer. The page goes on trying.',
    hasRetry: false,
    shown: '[data-testid=approval-card]',
  },
  'chats/known?panel=agents': { of: LOGS, shown: '[data-testid=agent-tree]' },
  'chats/known?panel=timeline': {
    of: LOGS,
    loading: 'Reading the log…',
    shown: '[data-testid=timeline]',
  },
  'chats/known?panel=log': {
    of: LOGS,
    loading: 'Reading the logs of 2 messages…',
    shown: '[data-testid=log-view] [role=option]',
  },
  'chats/known?panel=files': { of: /\/files\?/, shown: '[data-testid=file]' },
  'operate/rules': { of: ANY, shown: '[data-testid=dry-run]' },
  'operate/tools': { of: ANY, shown: 'table' },
  'operate/agents': { of: ANY, shown: 'table' },
  'operate/models': { of: ANY, shown: 'table' },
  'operate/runs': { of: ANY, shown: 'table' },
  'operate/usage': { of: ANY, shown: 'table' },
  'operate/keys': { of: ANY, shown: '[data-testid=operate] :text("No keys yet")' },
  'operate/audit': { of: ANY, shown: 'table' },
  'operate/health': { of: ANY, shown: 'li:has-text("Sandbox")' },
};

describeInChromium('The console, while the server does not answer', () => {
  let data: ProcessData;
  let server: ServerProcess;
  let browser: TestBrowser;
  let page: Page;
  let url: string;

  beforeAll(async () => {
    data = await FILES.create();
    [server, browser] = await Promise.all([
      ServerProcess.start({ ...data.env, MODEL: 'demo/script' }),
      TestBrowser.launch(),
    ]);
    const api = await server.api();
    ({ url } = api);
    const form = new FormData();
    form.append('file', new Blob(['Buy milk.']), 'notes.txt');
    const { id } = (await api.send('POST', '/files', { form })).body;
    for (const [chat, user_message, file_ids] of [
      ['known', 'call todo {"tasks": [{"title": "Write"}]}'],
      ['known', 'what is 6*7', [id]],
      ['waiting', 'run `ls`'],
    ] as const)
      await api.post(`/chats/${chat}/interactions?wait=true`, { user_message, file_ids });
    // Requests of a page with a service worker would pass by the routes.
    page = await browser.open('about:blank', { serviceWorkers: 'block' });
  });
  afterAll(async () => {
    expect(await browser.closePages()).toEqual([]);
    await browser.close();
    await server.kill('SIGKILL');
    await data.remove();
  });
  afterEach(() => page.unrouteAll({ behavior: 'ignoreErrors' }));

  it.each(Object.entries(VIEWS))(
    'says so at /%s, and shows it once it does',
    async (path, view) => {
      const { of, loading = 'Loading…', failed = 'Nothing was lost', hasRetry, shown } = view;
      const held = new Gate();
      const abort = async (route: Route): Promise<void> => {
        await held.pass();
        await route.abort();
      };
      await page.route(of, (route) =>
        route.request().resourceType() === 'document' ? route.continue() : abort(route),
      );
      await page.goto(`${url}/console/${path}`);
      const main = page.getByRole('main');
      await main.getByText(loading, { exact: true }).first().waitFor();
      expect(await main.locator(shown).count()).toBe(0);
      held.open();
      await main.getByText(failed).first().waitFor();
      await main.getByText(loading, { exact: true }).first().waitFor({ state: 'detached' });
      await page.unrouteAll();
      if (hasRetry !== false) await main.getByRole('button', { name: 'Try again' }).first().click();
      await main.locator(shown).first().waitFor();
      await main.getByText(failed).waitFor({ state: 'detached' });
    },
  );
});
