/**
 * `node scripts/console-icons.mjs`: draws the icons of the console as PNG, for systems that install
 * it and take no SVG. CHROMIUM names the browser, unless it is /usr/bin/chromium.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const FOLDER = new URL('../web/public/', import.meta.url);
/** Systems cut a maskable icon to a shape of theirs: the drawing is in the middle of its colour. */
const ICONS = [
  { name: 'icon-192.png', size: 192 },
  { name: 'icon-512.png', size: 512 },
  { name: 'icon-maskable-512.png', size: 512, isMaskable: true },
];

const svg = await readFile(new URL('icon.svg', FOLDER), 'utf8');
const [, colour] = /<rect[^>]*fill="([^"]+)"/.exec(svg);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
for (const { name, size, isMaskable } of ICONS) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  const [ground, part] = isMaskable ? [colour, '72%'] : ['transparent', '100%'];
  await page.setContent(
    `<body style="margin:0;height:100vh;display:grid;place-items:center;background:${ground}">
      ${svg.replace('<svg', `<svg width="${part}" height="${part}"`)}
    </body>`,
  );
  await page.screenshot({ path: fileURLToPath(new URL(name, FOLDER)), omitBackground: true });
  await page.close();
}
await browser.close();
