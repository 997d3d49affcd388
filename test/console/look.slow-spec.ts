import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describeInChromium, TestBrowser } from '../support/console/browser.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { IMAGES } from '../support/tools/images.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const VIEWS: Readonly<Record<string, string>> = {
  '': '[data-testid=composer]',
  'chats/seen': '[data-testid=approval-card]',
  'chats/seen?panel=agents': '[data-testid=agent-tree]',
  'chats/seen?panel=tasks': '[data-testid=task-board]',
  'chats/seen?panel=timeline': '[data-testid=timeline]',
  'chats/seen?panel=log': '[data-testid=log-view]',
  'chats/seen?panel=files': '[data-testid=files]',
  'chats/seen/board': '[data-testid=task-card]',
  'chats/picture': '[data-testid=thumbnail] img',
  inbox: '[data-testid=inbox]',
  'operate/rules': '[data-testid=dry-run]',
  'operate/tools': 'table',
  'operate/agents': 'table',
  'operate/models': 'table',
  'operate/runs': 'table',
  'operate/usage': 'table',
  'operate/keys': 'table, [data-testid=operate] p + *',
  'operate/audit': 'table',
  'operate/health': 'li',
  'operate/connect': 'figure',
};
/** What stands above a view: where, how it is opened, and what is there then. */
const ABOVE: Readonly<Record<string, readonly [string, (page: Page) => Promise<void>, string]>> = {
  'the options': [
    '',
    (page) => page.getByRole('button', { name: 'Agent, model and approvals' }).click(),
    '[role=menu]',
  ],
  'model, folder and budget': [
    '',
    async (page) => {
      await page.getByRole('button', { name: 'Agent, model and approvals' }).click();
      await page.getByRole('menuitem', { name: 'Model, folder and budget' }).click();
    },
    '[role=dialog] input',
  ],
  'the palette': ['inbox', (page) => page.keyboard.press('Control+k'), '[data-testid=palette]'],
  'the list of keys': ['inbox', (page) => page.keyboard.press('?'), '[role=dialog] kbd'],
  'deleting a chat': [
    'chats/seen',
    async (page) => {
      await page.getByRole('main').getByRole('button', { name: 'More' }).first().click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
    },
    '[role=dialog] button',
  ],
  'a new key': [
    'operate/keys',
    (page) => page.getByRole('button', { name: 'Create a key' }).click(),
    '[role=dialog] input',
  ],
  'an image': [
    'chats/picture',
    (page) => page.getByTestId('thumbnail').getByRole('button').click(),
    '[role=dialog] img',
  ],
};
const WIDTHS = { phone: [390, 844], tablet: [1024, 768], wall: [3840, 2160] } as const;

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

describeInChromium('The look of the console', () => {
  let data: ProcessData;
  let server: ServerProcess;
  let browser: TestBrowser;
  let url: string;

  beforeAll(async () => {
    data = await FILES.create();
    [server, browser] = await Promise.all([
      ServerProcess.start({ ...data.env, MODEL: 'demo/script' }),
      TestBrowser.launch(),
    ]);
    const api = await server.api();
    ({ url } = api);
    for (const user_message of [
      'call todo {"tasks": [{"title": "Write"}, {"title": "Test", "status": "in_progress"}]}',
      'call agent {"agent_type": "react", "prompt": "run `ls`"}',
    ])
      await api.post('/chats/seen/interactions?wait=true', { user_message });
    const form = new FormData();
    form.append('file', new Blob([Buffer.from(IMAGES.png, 'base64')]), 'red.png');
    const file = (await api.send('POST', '/files', { form })).body;
    const message = { user_message: 'what is 6*7', file_ids: [file.id] };
    await api.post('/chats/picture/interactions?wait=true', message);
  });
  afterAll(async () => {
    await browser.close();
    await server.kill('SIGKILL');
    await data.remove();
  });
  afterEach(async () => {
    expect(await browser.closePages()).toEqual([]);
  });

  const show = async (page: Page, path: string): Promise<void> => {
    await page.goto(`${url}/console/${path}`);
    await page.locator(VIEWS[path]!).first().waitFor();
  };

  const open = async (page: Page, name: string): Promise<void> => {
    const [path, act, seen] = ABOVE[name]!;
    await show(page, path);
    await act(page);
    await page.locator(seen).first().waitFor();
  };
  const expectNoBarrier = async (page: Page): Promise<void> => {
    await page.evaluate(AXE);
    const run = `axe.run({ runOnly: ['wcag2a', 'wcag2aa'] }).then((it) => it.violations)`;
    const violations = await page.evaluate<Violation[]>(run);
    const serious = violations.filter(({ impact }) => /serious|critical/.test(impact));
    expect(serious.map(({ id, nodes }) => [id, nodes.map((it) => it.failureSummary)])).toEqual([]);
  };
  const expectNoOverflow = async (page: Page, name: string): Promise<void> => {
    const overflow = await page.evaluate<number>('document.body.scrollWidth - innerWidth');
    expect([name, overflow <= 0]).toEqual([name, true]);
  };

  describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
    it.each(Object.keys(VIEWS))('has nothing at /%s that keeps people out', async (path) => {
      const page = await browser.open('about:blank', { colorScheme });
      await show(page, path);
      await expectNoBarrier(page);
    });

    it.each(Object.keys(ABOVE))('has nothing in %s that keeps people out', async (name) => {
      const page = await browser.open('about:blank', { colorScheme });
      await open(page, name);
      await expectNoBarrier(page);
    });
  });

  it.each(Object.keys(WIDTHS) as (keyof typeof WIDTHS)[])('fits on a %s', async (name) => {
    const [width, height] = WIDTHS[name];
    const page = await browser.open('about:blank', { viewport: { width, height } });
    for (const path of Object.keys(VIEWS)) {
      await show(page, path);
      await expectNoOverflow(page, path);
    }
    for (const each of Object.keys(ABOVE)) {
      await open(page, each);
      await expectNoOverflow(page, each);
    }
  });

  it('covers the composer with no panel beside it, and cuts off neither tabs nor the title', async () => {
    const page = await browser.open('about:blank', { viewport: { width: 820, height: 1180 } });
    await show(page, 'chats/seen?panel=agents');
    const [send, panel] = await Promise.all(
      ['send', 'panel'].map((id) => page.getByTestId(id).boundingBox()),
    );
    expect(send!.x + send!.width).toBeLessThanOrEqual(panel!.x);
    await page.setViewportSize({ width: 390, height: 844 });
    await show(page, 'chats/seen');
    expect((await page.getByRole('heading', { level: 1 }).boundingBox())!.width).toBeGreaterThan(
      140,
    );
    expect(await page.getByTestId('connection').innerText()).toBe('live');
    await show(page, 'operate/rules');
    const health = await page.getByRole('link', { name: 'Health' }).boundingBox();
    expect(health!.x + health!.width).toBeLessThanOrEqual(390);
  });

  it('says what calls are about, and which agent waits for a person', async () => {
    const page = await browser.open(`${url}/console/chats/seen`);
    const calls = page.getByTestId('tool-call');
    await calls.filter({ hasText: 'todo' }).getByText('Write, Test', { exact: true }).waitFor();
    await page.locator('[data-agent]').getByText('needs a decision', { exact: true }).waitFor();
    await calls.getByText('waits for a decision').waitFor();
  });

  it('is used by keys alone, from an empty page to a decision', async () => {
    const page = await browser.open(url);
    await page.locator('[data-testid=composer]:focus').waitFor();
    await page.keyboard.type('run `echo by keys`');
    await page.keyboard.press('Enter');
    await page.getByTestId('approval-card').waitFor();

    await page.getByTestId('approve').focus();
    await page.keyboard.press('Enter');
    await page.getByTestId('tool-call').getByText('done').waitFor();
  });
});
