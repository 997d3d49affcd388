import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/** The reason why there is no browser, which `REQUIRE_SERVICES=1` does not accept. */
const fault = existsSync(CHROMIUM) ? undefined : `${CHROMIUM} is not there`;
if (fault && process.env['REQUIRE_SERVICES'] === '1') throw new Error(fault);
if (fault) process.stderr.write(`Skipped: the console in Chromium: ${fault}\n`);

/** `describe`, skipped where there is no browser. */
export const describeInChromium = fault ? describe.skip : describe;

/** Chromium, whose pages may not say anything to their console. */
export class TestBrowser {
  private readonly faults: string[] = [];

  private constructor(private readonly browser: Browser) {}

  static async launch(...more: readonly string[]): Promise<TestBrowser> {
    const args = ['--no-sandbox', '--disable-gpu', ...more];
    return new TestBrowser(await chromium.launch({ executablePath: CHROMIUM, args }));
  }

  /** A page of a profile of its own; `page.context().newPage()` is another tab of it. */
  async open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 800 },
      ...options,
    });
    context.setDefaultTimeout(150_000);
    context.on('page', (page) => this.listen(page));
    const page = await context.newPage();
    await page.goto(url);
    return page;
  }

  /** Closes all pages, and returns what they had to say of faults. */
  async closePages(): Promise<readonly string[]> {
    await Promise.all(this.browser.contexts().map((context) => context.close()));
    return this.faults.splice(0);
  }

  close(): Promise<void> {
    return this.browser.close();
  }

  private listen(page: Page): void {
    page.on('pageerror', ({ message }) => this.faults.push(message));
    page.on('console', (message) => {
      // The browser itself tells of requests that fail.
      const isOurs = !message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && isOurs) this.faults.push(message.text());
    });
  }
}
