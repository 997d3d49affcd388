import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';
import { describeInChromium, TestBrowser } from '../support/console/browser.js';
import { eventually } from '../support/eventually.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { IMAGES, pngOf } from '../support/tools/images.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ADMIN_KEY = 'an-admin-key-of-the-tests-0123456789';
const RED = { name: 'red\u202egnp.png', mimeType: 'image/png', buffer: bytesOf(IMAGES.png) };
/** Of the type that it is not. */
const PAGE = { name: 'page.png', mimeType: 'image/png', buffer: Buffer.from('<html>') };
const DRAWING = { name: 'a.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') };

describeInChromium('Images in the console', () => {
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
  const say = async (page: Page, message: string): Promise<void> => {
    await page.getByTestId('composer').fill(message);
    await page.getByTestId('send').click();
  };
  /** A chat whose message came with an image; also the id of the chat. */
  const begin = async (): Promise<readonly [Page, string]> => {
    const page = await browser.open(url);
    await page.getByLabel('Key or token').fill(ADMIN_KEY);
    await page.keyboard.press('Enter');
    await page.getByTestId('composer').waitFor();
    await page.locator('input[type=file]').setInputFiles([RED, PAGE, DRAWING]);
    await page.getByRole('img', { name: 'red⟦U+202E⟧gnp.png, 73 B' }).waitFor();
    await page.getByTestId('thumbnail').getByText('It can’t be shown').waitFor();
    await page.getByRole('button', { name: 'Remove page.png' }).click();
    await page.getByRole('progressbar').first().waitFor({ state: 'detached' });
    await say(page, 'what is 6*7');
    await page.getByTestId('message-agent').getByText('6*7 = 42').last().waitFor();
    return [page, page.url().split('/').at(-1)!];
  };

  it('shows an attached image after a reload, and large on a key; a drawing is a link', async () => {
    const [page] = await begin();
    await page.reload();
    const thumbnails = page.getByTestId('message-user').getByTestId('thumbnail');
    const image = thumbnails.getByRole('img');
    await eventually(() => isDrawn(image));
    expect(await image.getAttribute('alt')).toBe('redgnp.png, 73 B');
    expect(await thumbnails.count()).toBe(1);
    await page.getByTestId('message-user').getByRole('button', { name: 'a.svg' }).waitFor();

    await thumbnails.getByRole('button').focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'redgnp.png' });
    await dialog.getByRole('img').waitFor();
    const download = page.waitForEvent('download');
    await dialog.getByRole('link', { name: 'Download' }).click();
    expect(readFileSync(await (await download).path()).equals(RED.buffer)).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await eventually(() =>
      thumbnails.getByRole('button').evaluate((it) => it === it.ownerDocument.activeElement),
    );
  });

  it.each(['light', 'dark'] as const)(
    'shows what a tool has shown, %s, and says when a file is gone',
    async (colorScheme) => {
      const [page, chat] = await begin();
      const { body } = await (await api()).get(`/files?chat_id=${chat}`);
      const files = body.items as { id: string; mime_type: string }[];
      const { id } = files.find(({ mime_type }) => mime_type === 'image/png')!;
      await say(page, `call file_read {"file_id": "${id}"}`);
      const image = page.getByTestId('tool-call').getByRole('img', { name: 'file_read' });
      await eventually(() => isDrawn(image));

      await (await api()).delete(`/files/${id}`);
      await page.emulateMedia({ colorScheme });
      await page.reload();
      await image.waitFor();
      await page.getByTestId('message-user').getByText('It was deleted').waitFor();
      await page.evaluate(AXE);
      const run = `axe.run({ runOnly: ['wcag2a', 'wcag2aa'] }).then((it) => it.violations)`;
      const violations = await page.evaluate<{ id: string; impact: string }[]>(run);
      expect(violations.filter(({ impact }) => /serious|critical/.test(impact))).toEqual([]);
    },
  );

  it('shows the images among the files of the chat, and no drawing', async () => {
    const [page] = await begin();
    await page.goto(`${page.url()}?panel=files`);
    const files = page.getByTestId('file');
    const thumbnail = files.filter({ hasText: 'image/png' }).getByTestId('thumbnail');
    await eventually(() => isDrawn(thumbnail.getByRole('img')));
    await files.filter({ hasText: 'a.svg' }).waitFor();
    expect(await files.getByTestId('thumbnail').count()).toBe(1);
    await thumbnail.getByRole('button').click();
    await page.getByRole('dialog', { name: 'redgnp.png' }).getByRole('img').waitFor();
  });

  it('shows the image of a message that is queued, over a reload, until it is removed', async () => {
    const [page] = await begin();
    await say(page, 'write a long answer, 20000 words');
    await page.getByTestId('stop').waitFor();
    await page.locator('input[type=file]').setInputFiles([RED, DRAWING]);
    await page.getByRole('progressbar').first().waitFor({ state: 'detached' });
    await page.getByTestId('composer').fill('what is 7*7');
    await page.getByTestId('composer').press('Control+Enter');
    const item = page.getByTestId('queue-item').filter({ hasText: 'what is 7*7' });
    const image = item.getByTestId('thumbnail').getByRole('img');
    await eventually(() => isDrawn(image));
    await page.reload();
    await eventually(() => isDrawn(image));
    expect(await item.getByTestId('thumbnail').count()).toBe(1);
    await item.getByRole('button', { name: /Remove/ }).click();
    await item.waitFor({ state: 'detached' });
  });

  it('does not decode a file of few bytes and many pixels: it is a link', async () => {
    const page = await browser.open(url);
    await page.getByLabel('Key or token').fill(ADMIN_KEY);
    await page.keyboard.press('Enter');
    await page.getByTestId('composer').waitFor();
    const buffer = pngOf(57, { width: 8_000, height: 8_000 });
    const file = { name: 'large.png', mimeType: 'image/png', buffer };
    await page.locator('input[type=file]').setInputFiles([file]);
    const thumbnail = page.getByTestId('thumbnail');
    await thumbnail.getByText('Too large to show').waitFor();
    await thumbnail.getByRole('link', { name: 'Download' }).waitFor();
    expect(await thumbnail.getByRole('img').count()).toBe(0);
  });

  it('loads what comes into sight, and no more', async () => {
    const [page, chat] = await begin();
    const asked = new Set<string>();
    page.on('request', (request) => {
      if (request.url().endsWith('/content')) asked.add(request.url());
    });
    for (let n = 0; n < 3; n++)
      await (
        await api()
      ).post(`/chats/${chat}/interactions?wait=true`, {
        user_message: 'write a long answer',
      });
    await page.reload();
    await page.getByTestId('message-user').last().waitFor();
    await page.getByRole('log').hover();
    expect(asked.size).toBe(0);
    while (asked.size === 0) await page.mouse.wheel(0, -500);
    await page.getByTestId('thumbnail').getByRole('img').waitFor();
  });
});

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}

/** True once the image has the width of those that tests use. */
function isDrawn(image: Locator): Promise<boolean> {
  return image.evaluate((it) => (it as unknown as { naturalWidth: number }).naturalWidth === 3);
}
