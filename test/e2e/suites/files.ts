import { findUid } from '../../support/store/find-uid.js';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkConversation } from '../../support/runs/check-conversation.js';
import type { Following } from '../../support/store/following.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

interface Call {
  readonly name: string;
  readonly arguments: object;
}

const read = (path: string): Call => ({ name: 'read', arguments: { path } });
const write = (path: string, content: string): Call => ({
  ...{ name: 'write', arguments: { path, content } },
});
const edit = (path: string, old_string: string, new_string: string): Call => ({
  ...{ name: 'edit', arguments: { path, old_string, new_string } },
});
/** One call a turn. */
const turns = (...calls: readonly Call[]) => script(...calls.map((call) => ({ calls: [call] })));

const TEXT = 'Dear all,\nthe meeting is on Monday.\nBye\n';

export function describeFiles(servers: Servers): void {
  let chats = 0;

  describe('The tools that work with files', () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-e2e-files-')));
    const env = { WORKSPACE_DIR: join(folder, 'work'), DATA_DIR: join(folder, 'data') };
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    withPeople(servers, env, (server, person) => {
      /** Each test has a chat of its own on each store. */
      const chat = (name: string) => `${name}-${++chats}`;
      const at = async (of: string, path: string) =>
        join(folder, 'work', await findUid(server.stores, of), path);
      const give = async (of: string, path: string, content: string) => {
        await server.api.post('/chats', { id: of });
        await mkdir(dirname(await at(of, path)), { recursive: true });
        await writeFile(await at(of, path), content);
      };
      const content = async (of: string, path: string) => readFile(await at(of, path), 'utf8');
      const approve = async (following: Following, more: object = {}) => {
        const { approval_id } = await following.record('APPROVAL_REQUIRED');
        return person.approve(following.of, approval_id, more);
      };
      const end = async (following: Following) => {
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        const { final_agent_state } = await server.api.interaction(following.of);
        expect(checkConversation(final_agent_state!.messages)).toEqual([]);
        return reader.list('TOOL_RESULT').map(({ tool_output }) => tool_output);
      };
      const forbid = async (of: string, pattern: string) => {
        await server.api.post('/chats', { id: of });
        const rule = { scope: 'session', scope_id: of, decision: 'deny' };
        const matcher = { type: 'path', pattern };
        const { status } = await server.api.post('/permissions/rules', { ...rule, matcher });
        expect(status).toBe(201);
      };

      it('read without asking, and ask about a change with the lines that would change', async () => {
        const of = chat('plain');
        await give(of, 'letter.txt', TEXT);
        const change = edit('letter.txt', 'Monday', 'Tuesday');
        const following = await person.say(of, turns(read('letter.txt'), change));
        expect(await following.record('APPROVAL_REQUIRED')).toMatchObject({
          ...{ tool_name: 'edit', category: 'write', risk: 'medium' },
          action:
            'Edit letter.txt (+1 −1 lines)\n--- letter.txt\n+++ letter.txt\n@@ -1,3 +1,3 @@\n Dear all,\n-the meeting is on Monday.\n+the meeting is on Tuesday.\n Bye',
        });
        expect(await content(of, 'letter.txt')).toBe(TEXT);
        await approve(following);
        expect(await end(following)).toEqual([
          '     1\tDear all,\n     2\tthe meeting is on Monday.\n     3\tBye',
          'Edited letter.txt: replaced it in line 2.',
        ]);
        expect(await content(of, 'letter.txt')).toBe(TEXT.replace('Monday', 'Tuesday'));
      });

      it('do what was approved, not what was asked for', async () => {
        const of = chat('changed');
        await give(of, 'letter.txt', TEXT);
        const change = edit('letter.txt', 'Monday', 'Tuesday');
        const following = await person.say(of, turns(read('letter.txt'), change));
        const modified_input = { path: 'letter.txt', old_string: 'Monday', new_string: 'Friday' };
        const { approval_id } = await following.record('APPROVAL_REQUIRED');
        const nothing = { ...modified_input, new_string: 'Monday' };
        const reply = await person.approve(following.of, approval_id, { modified_input: nothing });
        expect([reply.status, JSON.stringify(reply.body)]).toEqual([
          400,
          expect.stringContaining('nothing would change'),
        ]);
        await approve(following, { modified_input });
        await end(following);
        expect(await content(of, 'letter.txt')).toBe(TEXT.replace('Monday', 'Friday'));
      });

      it('write a new file, and go on with it in the next message', async () => {
        const of = chat('new');
        const following = await person.say(of, turns(write('notes/a.md', '# A\n')));
        expect((await following.record('APPROVAL_REQUIRED')).action).toBe(
          'Write notes/a.md (+1 −0 lines)\n--- /dev/null\n+++ notes/a.md\n@@ -0,0 +1,1 @@\n+# A',
        );
        await approve(following);
        expect(await end(following)).toEqual(['Created notes/a.md: 1 line, 4 bytes.']);
        const next = await person.say(of, turns(edit('notes/a.md', '# A', '# B')));
        await approve(next);
        await end(next);
        expect(await content(of, 'notes/a.md')).toBe('# B\n');
      });

      it('say in the question what a change would come to nothing for, and leave the file alone', async () => {
        const of = chat('unread');
        await give(of, 'letter.txt', TEXT);
        const following = await person.say(of, turns(write('letter.txt', 'Mine')));
        const unread = expect.stringContaining('has not been read in this chat');
        expect((await following.record('APPROVAL_REQUIRED')).action).toEqual(unread);
        await approve(following);
        expect(await end(following)).toEqual([unread]);
        expect(following.reader.types).not.toContain('TOOL_STARTED');
        expect(await content(of, 'letter.txt')).toBe(TEXT);
      });

      it('leave alone what somebody has changed while the approval waited', async () => {
        const of = chat('meanwhile');
        await give(of, 'letter.txt', TEXT);
        const change = edit('letter.txt', 'Bye', 'Yours');
        const following = await person.say(of, turns(read('letter.txt'), change));
        await following.record('APPROVAL_REQUIRED');
        await give(of, 'letter.txt', `P.S.\n${TEXT}`);
        await approve(following);
        expect((await end(following)).at(-1)).toContain('has changed since');
        expect(await content(of, 'letter.txt')).toBe(`P.S.\n${TEXT}`);
      });

      it('do not touch what a rule denies, and show nobody what is in it', async () => {
        const of = chat('denied');
        for (const path of ['.env', 'secrets/key', 'a/.env']) await give(of, path, 'KEY=a-secret');
        for (const pattern of ['**/.env', 'secrets/**']) await forbid(of, pattern);
        const calls = [
          ...['.env', './/.ENV', 'a/../.env', 'secrets/key', 'Secrets//key'].map(read),
          ...[write('.env', 'x'), edit('a/.env', 'KEY', 'X'), write('secrets/new', 'x')],
        ];
        const following = await person.say(of, script({ calls }));
        const outputs = await end(following);
        expect(outputs).toEqual(calls.map(() => expect.stringContaining('not allowed')));
        expect(JSON.stringify(following.reader.records)).not.toContain('a-secret');
        expect(await content(of, '.env')).toBe('KEY=a-secret');
      });

      it('keep both of two changes to one file in one turn', async () => {
        const of = chat('two');
        await give(of, 'letter.txt', TEXT);
        const calls = [edit('letter.txt', 'all', 'both'), edit('letter.txt', 'Bye', 'Yours')];
        const messages = script({ calls: [read('letter.txt')] }, { calls });
        const following = await person.say(of, { user_message: messages, approval_mode: 'auto' });
        await end(following);
        expect(await content(of, 'letter.txt')).toBe(
          TEXT.replace('all', 'both').replace('Bye', 'Yours'),
        );
      });
    });
  });
}
