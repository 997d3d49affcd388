import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { wavHeader } from '../../src/audio/wav.js';
import { describeInChromium, TestBrowser } from '../support/console/browser.js';
import { silence, tone } from '../support/model/pcm.js';
import { freePort } from '../support/server/free-port.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

/** A recording has gone on for a second, or more on a busy machine. */
const SECONDS = /^\d:(?!00)\d\d$/;
const HEARD = 'This is what the demo hears, whatever is said.';

describeInChromium('The console, with a microphone', () => {
  let data: ProcessData;
  let server: ServerProcess;
  let browser: TestBrowser;
  let url: string;

  beforeAll(async () => {
    data = await FILES.create();
    const PORT = String(await freePort());
    const env = { ...(data.env as Record<string, string>), MODEL: 'demo/script', PORT };
    url = `http://127.0.0.1:${PORT}`;
    [server, browser] = await Promise.all([
      ServerProcess.start(env),
      TestBrowser.launch(
        '--use-fake-device-for-media-stream',
        `--use-file-for-fake-audio-capture=${await saidOnce()}%noloop`,
      ),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await server.kill('SIGKILL');
    await data.remove();
  });
  afterEach(async () => {
    expect(await browser.closePages()).toEqual([]);
  });

  /** A recording of a voice for a while, then nothing. */
  const saidOnce = async (): Promise<string> => {
    const pcm = Buffer.concat([silence(1_000), tone(1_000), silence(5_000)]);
    const path = join(data.env['DATA_DIR']!, 'said.wav');
    await writeFile(path, Buffer.concat([wavHeader(pcm.length), pcm]));
    return path;
  };
  const open = (permissions: readonly string[]): Promise<Page> =>
    browser.open(url, { permissions: [...permissions] });

  it('writes down what was said, by keys and while the button is held', async () => {
    const page = await open(['microphone']);
    const box = page.getByTestId('composer');
    await box.fill('First.');
    await page.getByTestId('dictate').focus();
    await page.keyboard.press('Enter');
    await page.getByText(SECONDS).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(`First.\n\n${HEARD}`).waitFor();
    await box.fill('');
    await page.getByTestId('dictate').hover();
    await page.mouse.down();
    await page.getByText(SECONDS).waitFor();
    await page.mouse.up();
    await page.getByText(HEARD).waitFor();
    await box.press('Enter');
    await page.getByTestId('message-user').getByText(HEARD).waitFor();
  });

  it('reads an answer aloud, and stops', async () => {
    const page = await open([]);
    await page.getByTestId('composer').fill('write a long answer, 300 words');
    await page.getByTestId('composer').press('Enter');
    const listen = page.getByTestId('listen');
    await listen.click();
    await page.getByRole('button', { name: 'Stop reading' }).click();
    await page.getByRole('button', { name: 'Read aloud' }).waitFor();
    await page.getByTestId('composer').fill('what is 6*7');
    await page.getByTestId('composer').press('Enter');
    const again = page.getByTestId('listen').nth(1);
    const spoken = page.waitForResponse('**/speech?*');
    await again.click();
    expect((await spoken).status()).toBe(200);
    await again.and(page.locator('[data-reading=idle]')).waitFor();
  });

  it('answers aloud what it hears, until the talk is ended', async () => {
    const page = await open(['microphone']);
    await page.getByTestId('talk').click();
    await page.waitForURL(/\/console\/chats\//);
    const state = page.getByTestId('talk-state');
    await page.getByTestId('message-user').getByText(HEARD).waitFor();
    await state.getByText('Speaking').waitFor();
    await state.getByText('Listening').waitFor();
    await page.getByRole('button', { name: 'End the talk' }).last().click();
    await state.waitFor({ state: 'detached' });
  });

  it('says why there is no recording', async () => {
    const page = await open([]);
    await page.getByTestId('dictate').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('does not allow the microphone').waitFor();
    await page.getByRole('button', { name: 'Dictate: click' }).waitFor();
  });
});
