import { script } from '../../support/model/scripted-answers.js';
import { WorkspaceFolder } from '../../support/tools/workspace-folder.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

const SECRET = 'API_KEY=the secret that nobody may read';

export function describeSearch(servers: Servers): void {
  describe('The tools glob and grep', () => {
    const folder = new WorkspaceFolder();
    folder.write({
      '.env': SECRET,
      'secrets/deep/key.txt': SECRET,
      'src/app.ts': "const key = process.env['API_KEY'];\n",
    });
    afterAll(() => folder.remove());
    const { workspaceDir, dataDir } = folder.config;
    const env = { WORKSPACE_DIR: workspaceDir, DATA_DIR: dataDir, WORKSPACE_MODE: 'shared' };

    withPeople(servers, env, (server, person) => {
      let chats = 0;
      const run = async (chat: string, name: string, input: object) => {
        const message = script({ calls: [{ name, arguments: input }] });
        const reader = await server.api.say(chat, message);
        expect(reader.faults).toEqual([]);
        const { tool_output, is_error } = reader.find('TOOL_RESULT')!;
        return { text: tool_output, is_error, types: reader.types };
      };
      const rule = async (chat: string, decision: string, pattern: string) => {
        const matcher = { type: 'path', pattern };
        await server.api.post('/chats', { id: chat });
        const body = { scope: 'session', scope_id: chat, decision, matcher };
        expect((await server.api.post('/permissions/rules', body)).status).toBe(201);
      };

      it('find files and lines without asking', async () => {
        const chat = `search-${++chats}`;
        const files = await run(chat, 'glob', { pattern: '**' });
        expect(files.text).toBe('.env\nsecrets/deep/key.txt\nsrc/app.ts\n[3 files]');
        const lines = await run(chat, 'grep', { pattern: 'process\\.env', path: 'src' });
        expect(lines.text).toBe(
          "src/app.ts:1: const key = process.env['API_KEY'];\n[1 line in 1 file]",
        );
        expect(lines.types).not.toContain('APPROVAL_REQUIRED');
      });

      it('say what is wrong with a pattern, and reach nothing outside', async () => {
        const chat = `search-${++chats}`;
        expect(await run(chat, 'grep', { pattern: '(' })).toMatchObject({
          is_error: true,
          text: expect.stringContaining('missing closing )'),
        });
        expect(await run(chat, 'grep', { pattern: 'x', path: '../data' })).toMatchObject({
          is_error: true,
          text: expect.stringContaining('is refused'),
        });
      });

      it('show nothing of what the rules deny, however it is searched', async () => {
        const chat = `search-${++chats}`;
        await rule(chat, 'deny', '.env');
        await rule(chat, 'deny', 'secrets/**');
        for (const input of [
          {},
          { path: '.' },
          { glob: '.env' },
          { glob: '*.txt' },
          { path: '.env' },
          { path: 'secrets' },
        ]) {
          const { text } = await run(chat, 'grep', { pattern: 'API_KEY', ...input });
          expect(text).not.toMatch(/API_KEY=|key\.txt:/);
        }
        for (const input of [{}, { path: '.' }, { path: 'secrets/deep' }])
          for (const pattern of ['**', '**/*.{env,txt}', '.e*', 'secret?/**', 'd*/*']) {
            const { text } = await run(chat, 'glob', { pattern, ...input });
            expect(text).not.toMatch(/^(?:\.env|secrets\/.*)$/m);
          }
        const { text } = await run(chat, 'grep', { pattern: 'API_KEY' });
        expect(text).toMatch(/^src\/app\.ts:1: .*\[1 line in 1 file\].*permission rules/s);
        const unruled = await run(`search-${++chats}`, 'grep', {
          pattern: 'API_KEY',
          glob: '.env',
        });
        expect(unruled.text).toContain(`.env:1: ${SECRET}`);
      });

      it('show what a rule asks about once a person has agreed to a search of it', async () => {
        const chat = `search-${++chats}`;
        await rule(chat, 'ask', 'secrets/**');
        expect((await run(chat, 'grep', { pattern: 'API_KEY=' })).text).not.toContain('key.txt:');
        const message = script({
          calls: [{ name: 'grep', arguments: { pattern: 'API_KEY=', path: 'secrets' } }],
        });
        const following = await person.say(chat, message);
        const { approval_id, action } = await following.record('APPROVAL_REQUIRED');
        expect(action).toBe('Search secrets for lines that match: API_KEY=');
        await person.approve(following.of, approval_id);
        const reader = await following.end();
        expect(reader.find('TOOL_RESULT')!.tool_output).toContain(`key.txt:1: ${SECRET}`);
      });
    });
  });
}
