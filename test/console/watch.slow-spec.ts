import type { Locator, Page } from 'playwright-core';
import { describeInChromium, TestBrowser } from '../support/console/browser.js';
import { eventually } from '../support/eventually.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

type Api = Awaited<ReturnType<ServerProcess['api']>>;

/** An agent whose child has a child that asks before it runs a command. */
const DEEP = `call agent ${JSON.stringify({
  agent_type: 'react',
  prompt: `call agent ${JSON.stringify({ agent_type: 'react', prompt: 'run `ls`' })}`,
})}`;

describeInChromium('The console, watching and steering', () => {
  let data: ProcessData;
  let server: ServerProcess;
  let browser: TestBrowser;
  let api: Api;
  let chats = 0;

  beforeAll(async () => {
    data = await FILES.create();
    [server, browser] = await Promise.all([
      ServerProcess.start({ ...data.env, MODEL: 'demo/script' }),
      TestBrowser.launch(),
    ]);
    api = await server.api();
  });
  afterAll(async () => {
    await browser.close();
    await server.kill('SIGKILL');
    await data.remove();
  });
  afterEach(async () => {
    expect(await browser.closePages()).toEqual([]);
  });

  /** A chat in which these were said, each until it has ended or waits for a person. */
  const chatWith = async (...messages: readonly string[]): Promise<string> => {
    const chat = `watched-${++chats}`;
    for (const user_message of messages)
      await api.post(`/chats/${chat}/interactions?wait=true`, { user_message });
    return chat;
  };
  const open = (chat: string, tab: string): Promise<Page> =>
    browser.open(`${api.url}/console/chats/${chat}?panel=${tab}`);
  const tabOf = (page: Page, name: string): Locator => page.getByRole('tab', { name });
  const isAt = (page: Page, address: RegExp): Promise<void> =>
    eventually(() => address.test(page.url()));

  describe('the panel', () => {
    it('keeps its tab in the address, over a reload and the way to another chat', async () => {
      const [other, chat] = [await chatWith('what is 1+1'), await chatWith('what is 6*7')];
      const page = await browser.open(`${api.url}/console/chats/${chat}`);
      await page.getByRole('button', { name: 'Show details' }).click();
      await page.getByTestId('agent-tree').waitFor();
      await tabOf(page, 'Log').click();
      await isAt(page, /\?panel=log$/);
      await page.reload();
      await page.getByTestId('log-view').getByText('what is 6*7').first().waitFor();
      await page.getByTestId('chat-list').locator(`a[href$="${other}"]`).click();
      await page.getByTestId('log-view').getByText('what is 1+1').first().waitFor();
      await page.getByTestId('panel').getByRole('button', { name: 'Close' }).click();
      await page.getByTestId('panel').waitFor({ state: 'detached' });
      await isAt(page, new RegExp(`/${other}$`));
    });
  });

  describe('agents', () => {
    it('shows a tree of any depth, and the receipt of a note', async () => {
      const page = await open(await chatWith(DEEP), 'agents');
      const nodes = page.getByTestId('agent-node');
      const child = page.locator('[data-testid=agent-node] [data-testid=agent-node]').last();
      await child.getByText('needs a decision').waitFor();
      expect(await nodes.count()).toBe(3);
      expect(await child.innerText()).toMatch(/tokens · 1 call · \d/);
      await child.getByTestId('intervene').click();
      await child.getByRole('textbox').fill('Name the largest file.');
      await page.keyboard.press('Enter');
      await child.getByText('accepted, not read yet').waitFor();
      await page.getByTestId('approve').click();
      await child.getByText(/^read at record \d+$/).waitFor();
      await child.getByText('done').waitFor();
    });

    it('opens the conversation of an agent, also by its address in a new page', async () => {
      const page = await open(await chatWith(DEEP), 'agents');
      await page.getByTestId('agent-node').last().getByRole('button').first().click();
      const conversation = page.getByTestId('agent-conversation');
      await conversation.getByTestId('approval-card').waitFor();
      expect(await conversation.innerText()).toContain('run `ls`');
      await isAt(page, /agent=agent_/);
      const again = await browser.open(page.url());
      await again.getByTestId('agent-conversation').getByTestId('approve').click();
      await conversation.getByText('It has ended').waitFor();
      await conversation.getByRole('button', { name: 'Back to the conversation' }).click();
      await page.getByTestId('message-user').waitFor();
    });

    it('keeps a note that was not sent when its agent ended', async () => {
      const page = await open(await chatWith(DEEP), 'agents');
      await page.getByTestId('agent-node').last().getByRole('button').first().click();
      const conversation = page.getByTestId('agent-conversation');
      const note = conversation.getByRole('textbox', { name: 'What to say' });
      await note.fill('Name the largest file.');
      await conversation.getByTestId('approve').click();
      await conversation.getByText('It has ended').waitFor();
      expect(await note.inputValue()).toBe('Name the largest file.');
      expect(await conversation.getByRole('button', { name: 'Send the note' }).isDisabled()).toBe(
        true,
      );
    });

    it('gives an agent another task, and says where it was read', async () => {
      const page = await open(await chatWith(DEEP), 'agents');
      const child = page.getByTestId('agent-node').last();
      await child.getByTestId('intervene').click();
      await child.getByRole('radio', { name: 'New task' }).check();
      await child.getByRole('textbox', { name: 'New task' }).fill('what is 6*7');
      await child.getByRole('button', { name: 'Change the task' }).click();
      await child.getByText('New task: what is 6*7').waitFor();
      await page.getByTestId('approve').click();
      await child.getByText(/^read at record \d+$/).waitFor();
      await child.getByText('done').waitFor();
      await child.getByRole('button').first().click();
      await page.getByTestId('agent-conversation').getByText('6*7 = 42').waitFor();
    });

    it('stops an agent after a confirmation, and its parent goes on', async () => {
      const page = await open(await chatWith(DEEP), 'agents');
      const child = page.getByTestId('agent-node').last();
      await child.getByTestId('intervene').click();
      await child.getByRole('radio', { name: 'Stop' }).check();
      await child.getByRole('textbox', { name: 'Reason' }).fill('It is not needed.');
      await child.getByRole('button', { name: 'Stop the agent' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Stop the agent' }).click();
      await child.getByText(/^(stopped|failed)$/).waitFor();
      await child.getByText('Stop: It is not needed.').waitFor();
      await child.getByText(/^read at record \d+$/).waitFor();
      await page.getByTestId('agent-node').first().getByText('done').first().waitFor();
    });
  });

  describe('the timeline', () => {
    it('shows the conversation as of a record, and leads back to now', async () => {
      const page = await open(await chatWith('what is 6*7', 'what is 2+2'), 'timeline');
      const answer = page.getByText('2+2 = 4');
      const cursor = page.getByTestId('timeline-cursor');
      await answer.waitFor();
      await cursor.press('Home');
      await page
        .getByTestId('as-of')
        .getByText(/As of record 1 of \d+/)
        .waitFor();
      await answer.waitFor({ state: 'detached' });
      await page.getByText('6*7 = 42').waitFor();
      const [bar, message] = await Promise.all(
        ['as-of', 'message-user'].map((id) => page.getByTestId(id).first().boundingBox()),
      );
      expect(message!.y).toBeGreaterThan(bar!.y + bar!.height);
      await isAt(page, /#int_[\w-]+\/1$/);
      await cursor.press('ArrowRight');
      await page.getByTestId('as-of').getByText('As of record 2').waitFor();
      await isAt(page, /\/2$/);
      await page.reload();
      await page.getByTestId('as-of').getByText('As of record 2').waitFor();
      await page.getByRole('button', { name: 'Back to now' }).click();
      await answer.waitFor();
      await page.getByTestId('as-of').waitFor({ state: 'detached' });
    });

    it('shows what waited without anything to decide, and no record in the address after Esc', async () => {
      const page = await open(await chatWith('run `ls`'), 'timeline');
      await page.getByTestId('approve').waitFor();
      const cursor = page.getByTestId('timeline-cursor');
      await cursor.press('End');
      const card = page.getByTestId('past-card');
      await card.getByText('waited here for a decision').waitFor();
      expect(await card.getByRole('button').count()).toBe(0);
      await isAt(page, /#int_/);
      await cursor.press('Escape');
      await page.getByTestId('approve').waitFor();
      await isAt(page, /panel=timeline$/);
    });

    it('is scrubbed with the mouse while the turn goes on, and the live view stays', async () => {
      const chat = await chatWith('what is 6*7', 'run `ls`');
      const page = await open(chat, 'timeline');
      await page.getByTestId('approval-card').waitFor();
      await page.locator('[data-kind=wait]').first().waitFor();
      const box = (await page.getByTestId('timeline').boundingBox())!;
      await page.mouse.move(box.x + box.width - 20, box.y + 40);
      await page.mouse.down();
      await page.mouse.move(box.x + 14, box.y + 40, { steps: 5 });
      await page.mouse.up();
      await page.getByTestId('as-of').waitFor();
      await page.getByTestId('approval-card').waitFor({ state: 'detached' });
      const { body } = await api.get(`/requests?status=pending&chat_id=${chat}`);
      const [request] = body.items as [{ id: string; interaction_id: string }];
      const decision = { approval_id: request.id, approved: true };
      await api.post(`/chats/${chat}/interactions/${request.interaction_id}/approve`, decision);
      await page.getByRole('heading').locator('xpath=..').getByText('done').waitFor();
      await page.getByTestId('as-of').waitFor();
      await page.getByTestId('timeline-cursor').press('Escape');
      await page.getByTestId('message-agent').last().getByText(/I ran/).waitFor();
    });
  });

  describe('the log', () => {
    it('is moved through with keys, and leads to the place in the conversation', async () => {
      const page = await open(await chatWith('what is 6*7', 'what is 2+2'), 'log');
      const list = page.getByRole('listbox', { name: 'Records of this chat' });
      await list.getByText('tool call').first().waitFor();
      for (const key of ['j', 'j', 'j', 'j', 'k']) await list.press(key);
      await list.press('Enter');
      await page.getByTestId('log-record').getByText('"TOOL_CALL"').waitFor();
      await isAt(page, /#int_[\w-]+\/3$/);
      await page.locator('article [aria-current]').getByText('calculator').waitFor();
      await page.getByTestId('log-record').getByRole('button', { name: 'Copy as JSON' }).waitFor();
      const link = await browser.open(page.url().replace('panel=log', ''));
      await link.locator('article [aria-current]').getByText('calculator').waitFor();
    });

    it('finds records by type and text', async () => {
      const page = await open(await chatWith('what is 6*7', 'what is 2+2'), 'log');
      const rows = page.getByTestId('log-view').locator('[role=option]');
      await page.getByLabel('Type of record').selectOption('TOOL_RESULT');
      await eventually(async () => (await rows.count()) === 2);
      await page.getByTestId('log-view').getByRole('listbox').last().press('/');
      await page.keyboard.type('"42"');
      await eventually(async () => (await rows.count()) === 1);
      await page.getByLabel('Search records').fill('no such text');
      await page.getByText('No record is like this.').waitFor();
    });
  });

  describe('the task board', () => {
    const TASKS = 'call todo {"tasks": [{"title": "Write"}, {"title": "Test"}]}';
    const card = (page: Page, title: string): Locator =>
      page.getByTestId('task-card').filter({ hasText: title });
    const isIn = (page: Page, status: string, title: string): Promise<void> =>
      page.locator(`section[data-status=${status}]`).getByText(title).waitFor();

    it('moves a task with the mouse, with keys and by its menu, and says so', async () => {
      const page = await open(await chatWith(TASKS), 'tasks');
      const from = (await card(page, 'Write').boundingBox())!;
      const to = (await page.locator('section[data-status=completed]').boundingBox())!;
      await page.mouse.move(from.x + 40, from.y + 16);
      await page.mouse.down();
      await page.mouse.move(from.x + 60, from.y + 40, { steps: 4 });
      await page.mouse.move(to.x + 80, to.y + 24, { steps: 8 });
      await page.mouse.up();
      await isIn(page, 'completed', 'Write');
      const grip = card(page, 'Test').getByRole('button').first();
      await grip.press('Space');
      await page.getByText('Test is over To do.').waitFor({ state: 'attached' });
      await page.keyboard.press('ArrowDown');
      await page.getByText('Test is over In progress.').waitFor({ state: 'attached' });
      await page.keyboard.press('Space');
      await isIn(page, 'in_progress', 'Test');
      await card(page, 'Test').getByRole('button', { name: 'Change Test' }).click();
      await page.getByRole('menuitem', { name: 'Move to Done' }).click();
      await isIn(page, 'completed', 'Test');
      await page.reload();
      await isIn(page, 'completed', 'Test');
      await isIn(page, 'completed', 'Write');
    });

    it('is reached from the call that wrote to it, and lists its keys', async () => {
      const page = await browser.open(`${api.url}/console/chats/${await chatWith(TASKS)}`);
      await page.getByText('I put 2 tasks on the board.').waitFor();
      await page.getByRole('link', { name: 'See it on the board' }).click();
      await card(page, 'Write').waitFor();
      await isAt(page, /\?panel=tasks$/);
      await page.keyboard.press('?');
      const keys = page.getByRole('dialog');
      for (const label of ['Pick up a task', 'Edit', 'New line', 'Show this list'])
        await keys.getByText(new RegExp(label, 'i')).first().waitFor();
    });

    it('adds, edits and deletes; two versions are a choice; other pages see it', async () => {
      const chat = await chatWith(TASKS);
      const [page, other] = [await open(chat, 'tasks'), await open(chat, 'tasks')];
      await page.getByLabel('Add a task').fill('Call Ann');
      await page.keyboard.press('Enter');
      await isIn(other, 'pending', 'Call Ann');
      await page.getByRole('link', { name: 'Open as a page' }).click();
      await isAt(page, /\/board$/);
      await card(page, 'Call Ann').getByRole('button', { name: 'Change Call Ann' }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      await page.getByLabel('Title').fill('Call Ann at noon');
      const { body } = await api.get(`/tasks?chat_id=${chat}`);
      const tasks = body.items as { id: string; title: string }[];
      const { id } = tasks.find(({ title }) => title === 'Call Ann')!;
      await api.patch(`/tasks/${id}`, { title: 'Call Bob' });
      await page.getByRole('button', { name: 'Save' }).click();
      const conflict = page.getByTestId('task-conflict');
      await conflict.getByText('Call Ann at noon').waitFor();
      await conflict.getByText('Call Bob').waitFor();
      await page.getByRole('button', { name: 'Use mine' }).click();
      await isIn(other, 'pending', 'Call Ann at noon');
      await card(page, 'Call Ann')
        .getByRole('button', { name: /^Change/ })
        .click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await card(other, 'Call Ann at noon').waitFor({ state: 'detached' });
    });
  });

  describe('files', () => {
    it('uploads, downloads and deletes', async () => {
      const page = await open(await chatWith('what is 6*7'), 'files');
      await page.getByText('No files yet').waitFor();
      const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Buy milk.') };
      await page.getByTestId('file-input').setInputFiles(file);
      const row = page.getByTestId('file').filter({ hasText: 'notes.txt' });
      await row.getByText('9 B · text/plain').waitFor();
      const begun = page.waitForEvent('download');
      await row.getByRole('button', { name: 'Download notes.txt' }).click();
      expect((await begun).suggestedFilename()).toBe('notes.txt');
      await row.getByRole('button', { name: 'Delete notes.txt' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await row.waitFor({ state: 'detached' });
    });
  });
});
