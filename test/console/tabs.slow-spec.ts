import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startNginx } from '../../scripts/deployment/nginx.mjs';
import type { Nginx } from '../../scripts/deployment/nginx.mjs';
import { describeInChromium, TestBrowser } from '../support/console/browser.js';
import { eventually } from '../support/eventually.js';
import { Cluster } from '../support/server/cluster.js';
import { FILES, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { findRedisServerFault } from '../support/store/redis-server.js';

/** Over HTTP/1.1 a browser has six connections: this many pages can't have a stream each. */
const TABS = 7;

const say = async (page: Page, message: string): Promise<void> => {
  await page.getByTestId('composer').fill(message);
  await page.getByTestId('composer').press('Enter');
};
const answered = (page: Page, text: string): Promise<void> =>
  page.getByTestId('message-agent').getByText(text).last().waitFor();

describeInChromium('The console, in many tabs', () => {
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

  /** So many tabs of one browser, each at a chat of its own, and all in sight. */
  const openTabs = async (count: number): Promise<Page[]> => {
    const first = await browser.open(`${url}/console/chats/tab-0`);
    const others = Array.from({ length: count - 1 }, () => first.context().newPage());
    const pages = [first, ...(await Promise.all(others))];
    await Promise.all(
      pages.slice(1).map((page, n) => page.goto(`${url}/console/chats/tab-${n + 1}`)),
    );
    return pages;
  };

  it('answers in each of them, though they are more than connections', async () => {
    const api = await server.api();
    for (let n = 0; n < TABS; n++)
      await api.post(`/chats/tab-${n}/interactions?wait=true`, { user_message: `what is ${n}*3` });
    const pages = await openTabs(TABS);
    await Promise.all(pages.map((page, n) => answered(page, `${n}*3 = ${n * 3}`)));
    await Promise.all(pages.map((page, n) => say(page, `what is ${n}+100`)));
    await Promise.all(pages.map((page, n) => answered(page, `${n}+100 = ${n + 100}`)));
    // A change elsewhere comes into all of them.
    for (let n = 0; n < TABS; n++)
      await api.post(`/chats/tab-${n}/interactions?wait=true`, { user_message: `what is ${n}*7` });
    await Promise.all(pages.map((page, n) => answered(page, `${n}*7 = ${n * 7}`)));
  });
});

const CLUSTER_FAULT =
  POSTGRES.fault ??
  findRedisServerFault() ??
  (existsSync('/usr/sbin/nginx') ? undefined : 'nginx is not installed');
if (CLUSTER_FAULT) process.stderr.write(`Skipped: the console of a cluster: ${CLUSTER_FAULT}\n`);

(CLUSTER_FAULT ? describe.skip : describeInChromium)(
  'The console, of a cluster behind nginx',
  () => {
    let cluster: Cluster;
    let nginx: Nginx;
    let folder: string;
    let browser: TestBrowser;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'parley-nginx-'));
      [cluster, browser] = await Promise.all([
        Cluster.start({ MODEL: 'demo/script' }),
        TestBrowser.launch(),
      ]);
      const upstreams = cluster.apis.map(({ api }) => Number(new URL(api.url).port));
      nginx = await startNginx({ folder, upstreams: upstreams as [number, number] });
    });
    afterAll(async () => {
      await browser.close();
      await nginx.stop();
      await cluster.close();
      await rm(folder, { recursive: true, force: true });
    });
    afterEach(async () => {
      expect(await browser.closePages()).toEqual([]);
    });

    it('answers in six tabs, and goes on when a process is killed', async () => {
      const first = await browser.open(`${nginx.url}/console/`);
      await say(first, 'what is 6*7');
      await answered(first, '6*7 = 42');
      const others = await Promise.all(
        Array.from({ length: 5 }, async () => {
          const page = await first.context().newPage();
          await page.goto(first.url());
          await answered(page, '6*7 = 42');
          return page;
        }),
      );
      await say(others[4]!, 'run `echo shared`');
      for (const page of [first, ...others]) await page.getByTestId('approval-card').waitFor();
      await cluster.apis[0].kill('SIGKILL');
      await others[0]!.getByTestId('approve').click();
      for (const page of [first, ...others])
        await page.getByTestId('message-agent').last().getByText(/I ran/).waitFor();
    });

    it('takes a file of some megabytes', async () => {
      const page = await browser.open(`${nginx.url}/console/`);
      const buffer = Buffer.alloc(3_000_000, 'text ');
      const file = { name: 'large.txt', mimeType: 'text/plain', buffer };
      await page.locator('input[type=file]').setInputFiles(file);
      await page.getByText('large.txt').waitFor();
      await page.locator('progress').waitFor({ state: 'detached' });
      await say(page, 'what is 7*7');
      await answered(page, '7*7 = 49');
      await page.getByTestId('message-user').getByText('large.txt').waitFor();
      await eventually(async () => (await page.getByRole('alert').count()) === 0);
    });
  },
);
