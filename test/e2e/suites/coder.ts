import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

const PLAN = { name: 'todo', arguments: { tasks: [{ title: 'Look around' }] } };
const OPEN_EDITOR = {
  name: 'open_editor',
  description: 'Opens a file in the editor.',
  input_schema: { type: 'object' },
};

export function describeCoder(servers: Servers): void {
  describe('The agent coder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-coder-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    withPeople(servers, { WORKSPACE_DIR: folder, WORKSPACE_MODE: 'shared' }, (server, person) => {
      const code = async (chat: string, user_message = 'Fix it') => {
        const client_tools = [OPEN_EDITOR];
        const start = { user_message, agent: 'coder', approval_mode: 'auto', client_tools };
        return (await person.say(chat, start)).end();
      };
      const systemPrompt = () => server.fake.requests.at(-1)!.body['messages'][0].content as string;
      const notes = join(folder, 'AGENTS.md');
      afterEach(() => rmSync(notes, { recursive: true, force: true }));

      it('has a prompt and the tools of its trade, and the client’s', async () => {
        const reader = await code('plain', script({ calls: [PLAN] }));
        expect(reader.faults).toEqual([]);
        expect(systemPrompt()).toMatch(/^You are a software engineer\./);
        expect(systemPrompt()).not.toContain('AGENTS.md');
        const { tools } = server.fake.requests.at(-1)!.body;
        const names = tools.map((tool: { function: { name: string } }) => tool.function.name);
        for (const name of ['read', 'write', 'edit', 'glob', 'grep', 'bash', 'todo', 'open_editor'])
          expect(names).toContain(name);
        expect(names).not.toContain('current_time');
        expect(reader.find('TASK_UPDATED')).toMatchObject({ task: { title: 'Look around' } });
      });

      it('follows what the project says, as it was when the interaction began', async () => {
        await writeFile(notes, 'Always use tabs.\n');
        const reader = await code('notes', script({ calls: [PLAN] }));
        expect(systemPrompt()).toMatch(/Always use tabs\.$/);
        expect(reader.list('STEP_COMPLETED')).toMatchObject([{ name: 'project notes' }]);
      });

      it('is not kept from its work by notes that are long, or no file of the workspace', async () => {
        await writeFile(notes, 'x'.repeat(100_000));
        await code('long');
        expect(systemPrompt().length).toBeLessThan(25_000);
        expect(systemPrompt()).toMatch(/left out: read it there/);
        rmSync(notes);
        await symlink('/etc/passwd', notes);
        await code('link');
        expect(systemPrompt()).not.toContain('root:');
        rmSync(notes);
        await mkdir(notes);
        expect((await code('folder')).records.at(-1)).toMatchObject({ status: 'COMPLETED' });
      });
    });
  });
}
