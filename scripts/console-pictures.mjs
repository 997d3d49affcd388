/**
 * `node scripts/console-pictures.mjs [<folder>]`: takes the pictures of `docs/` from a server that
 * runs with the demo model, or into another folder all that there are, in light and dark, at three
 * widths. CHROMIUM names the browser, unless it is /usr/bin/chromium.
 */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const SIZES = { desktop: [1440, 900], tablet: [1024, 768], phone: [390, 844] };
const OPERATE = ['rules', 'tools', 'agents', 'runs', 'usage', 'keys', 'audit', 'health', 'connect'];
const OPERATED = '[data-testid=operate] :is(table, figure, ul, h2)';
/** Views of the panel, and what is in them. */
const TABS = {
  agents: 'agent-tree',
  tasks: 'task-board',
  timeline: 'timeline',
  log: 'log-view',
  files: 'files',
};
const OF_DOCS = /^(?:chat-desktop-(?:light|dark)|timeline-desktop-light|inbox-phone-light)$/;
const [folder = 'docs/pictures'] = process.argv.slice(2);
const takesAll = process.argv.length > 2;

const scratch = await mkdtemp(join(tmpdir(), 'parley-pictures-'));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const server = spawn(process.execPath, ['dist/programs/main.js'], {
  env: {
    ...process.env,
    ...{ PORT: String(port), MODEL: 'demo/script', STORE: 'file', LOG_LEVEL: 'warn' },
    DATA_DIR: join(scratch, 'data'),
    WORKSPACE_DIR: join(scratch, 'workspace'),
  },
  stdio: 'inherit',
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  await mkdir(folder, { recursive: true });
  await ready();
  const chat = await converse();
  for (const colorScheme of ['light', 'dark'])
    for (const [size, [width, height]] of Object.entries(SIZES))
      await picture(chat, { colorScheme, size, viewport: { width, height } });
} finally {
  await browser.close();
  server.kill('SIGTERM');
  await new Promise((resolve) => server.once('exit', resolve));
  await rm(scratch, { recursive: true, force: true });
}

/** Something of everything, up to a call that waits for a decision. */
async function converse() {
  const auto = { approval_mode: 'auto' };
  await create('Holiday plans', 'What time is it in Tokyo?');
  await create('Numbers of the quarter', 'What is 1280 * 12 + 64?');
  await create('Colours of the site', 'ask me which colour you like: red, green or blue?');
  const chat = await create('Release 1.4', 'What is 12 * 9 + 3, and what time is it in Tokyo?');
  const tasks = ['Write the notes', 'Run the tests', 'Tell everyone'].map((title) => ({ title }));
  tasks[0].status = 'completed';
  tasks[1].status = 'in_progress';
  await say(chat, `call todo ${JSON.stringify({ tasks })}`);
  const checked = { agent_type: 'react', prompt: 'run `echo 214 tests passed`' };
  await say(chat, `call agent ${JSON.stringify(checked)}`, auto);
  const notes = '# Release 1.4\n\nFaster lists.\nFewer surprises.\n';
  await say(chat, `call write ${JSON.stringify({ path: 'notes.md', content: notes })}`, auto);
  const edit = { path: 'notes.md', old_string: 'Faster lists.', new_string: 'Much faster lists.' };
  await say(chat, `call edit ${JSON.stringify(edit)}`, auto);
  await say(chat, 'Now publish it: run `git push --tags`');
  return chat;
}

async function create(title, user_message) {
  const { id } = await post('/chats', { title });
  await say(id, user_message);
  return id;
}

function say(chat, user_message, options) {
  return post(`/chats/${chat}/interactions?wait=true`, { user_message, ...options });
}

async function post(path, body) {
  const reply = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`${path}: ${await reply.text()}`);
  return reply.json();
}

async function picture(chat, { colorScheme, size, viewport }) {
  const page = await browser.newPage({ colorScheme, viewport, serviceWorkers: 'block' });
  const save = async (name, path, seen) => {
    const file = `${name}-${size}-${colorScheme}`;
    if (!takesAll && !OF_DOCS.test(file)) return;
    await page.goto(`${url}/console/${path}`);
    await page.locator(seen).first().waitFor();
    await page.evaluate('document.fonts.ready');
    await page.screenshot({ path: join(folder, `${file}.png`) });
  };
  /** What `act` opens above a view. */
  const above = async (name, path, act) => {
    await page.goto(`${url}/console/${path}`);
    await page.locator('h1').first().waitFor();
    await act();
    await page.locator('[role=menu], [role=dialog]').first().waitFor();
    await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`) });
  };
  await save('chat', `chats/${chat}`, '[data-testid=approval-card]');
  if (takesAll) {
    await save('new', '', '[data-testid=composer]');
    await save('board', `chats/${chat}/board`, '[data-testid=task-card]');
    for (const name of OPERATE) await save(`operate-${name}`, `operate/${name}`, OPERATED);
  }
  for (const [tab, seen] of Object.entries(TABS))
    if (takesAll || tab === 'timeline')
      await save(tab, `chats/${chat}?panel=${tab}`, `[data-testid=${seen}]`);
  await save('inbox', 'inbox', '[data-testid=inbox]');
  if (takesAll) {
    await above('options', '', () => page.getByLabel('Agent, model and approvals').click());
    await above('more-options', '', async () => {
      await page.getByLabel('Agent, model and approvals').click();
      await page.getByRole('menuitem', { name: 'Model, folder and budget' }).click();
    });
    await above('palette', `chats/${chat}`, () => page.keyboard.press('Control+k'));
    await above('keys', 'inbox', () => page.keyboard.press('?'));
    await above('new-key', 'operate/keys', () => page.getByText('Create a key').click());
    await above('delete', `chats/${chat}`, async () => {
      await page.getByRole('main').getByLabel('More').first().click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
    });
    await page.route(/\/(?:chats|events)\b(?!.*console)/, (route) =>
      route.request().resourceType() === 'document'
        ? route.continue()
        : route.fulfill({ status: 503, headers: { 'retry-after': '3600' } }),
    );
    await save('away', `chats/${chat}`, '[data-testid=no-answer]');
    await save('away-inbox', 'inbox', 'main [role=status]');
  }
  await page.close();
}

async function ready() {
  for (;;) {
    const reply = await fetch(`${url}/health/ready`).catch(() => undefined);
    if (reply?.ok) return;
    if (server.exitCode !== null) throw new Error('The server has ended.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address();
      probe.close(() => resolve(free));
    });
  });
}
