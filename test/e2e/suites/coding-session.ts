import { findUid } from '../../support/store/find-uid.js';
import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { checkConversation } from '../../support/runs/check-conversation.js';
import type { FakeTurn } from '../../support/model/fake-openai-turn.js';
import { Person } from '../../support/client/person.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import type { TestServer } from '../../support/server/test-server.js';
import type { Servers } from '../servers.js';
import type { OpenStore } from '../stores.js';

const SUM = 'export function sum(numbers) {\n  return numbers.reduce((a, b) => a - b, 0);\n}\n';
const TEST = `import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { sum } from '../src/sum.mjs';

test('adds', () => equal(sum([1, 2, 3]), 6));
`;
const PACKAGE = '{ "name": "sums", "type": "module", "scripts": { "test": "node --test" } }\n';

const call = (name: string, args: object) => ({ name, arguments: args });
const write = (path: string, content: string) => call('write', { path, content });
const test = call('bash', { command: 'node --test --test-reporter=tap' });

const SESSION: readonly FakeTurn[] = [
  {
    text: 'First the package.',
    calls: [write('package.json', PACKAGE), write('src/sum.mjs', SUM)],
  },
  { text: 'Then its test.', calls: [write('test/sum.test.mjs', TEST)] },
  { calls: [test] },
  {
    text: 'It fails. Where is it?',
    calls: [
      call('glob', { pattern: '**/*.mjs' }),
      call('grep', { pattern: 'a - b', path: 'src' }),
      call('read', { path: 'src/sum.mjs' }),
    ],
  },
  { calls: [call('edit', { path: 'src/sum.mjs', old_string: 'a - b', new_string: 'a + b' })] },
  { calls: [test] },
  { text: 'The test passes.' },
];

export function describeCodingSession(servers: Servers): void {
  describe('A coding session', () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-coding-')));
    let own = '';
    const at = (path: string) => join(folder, 'work', own, path);
    let opened: OpenStore;
    let server: TestServer;
    let person: Person;

    beforeAll(async () => {
      opened = await servers.open();
      const env = {
        PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
        ...{ WORKSPACE_DIR: join(folder, 'work'), DATA_DIR: join(folder, 'data'), SANDBOX: 'none' },
      };
      server = await servers.start(opened.stores, { env });
      server.fake.otherwise(playScript);
      person = new Person(() => server.api);
    });
    afterAll(async () => {
      await server.stop();
      await opened.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it('writes a package and its failing test, finds the fault, mends it, and asks before each effect', async () => {
      const following = await person.say('coding', script(...SESSION));
      own = await findUid(opened.stores, 'coding');
      const asked: string[] = [];
      const approve = async () => {
        const { approval_id, action } = await following.record(
          'APPROVAL_REQUIRED',
          asked.length + 1,
        );
        asked.push(action);
        await person.approve(following.of, approval_id);
      };

      for (let n = 0; n < 4; n++) await approve();
      expect(asked[0]).toMatch(/^Write package\.json \(\+1 −0 lines\)\n.*\n\+\{ "name": "sums"/s);
      expect(asked[1]).toMatch(/^Write src\/sum\.mjs \(\+3 −0 lines\)\n.*\n\+export function sum/s);
      expect(asked[2]).toMatch(/^Write test\/sum\.test\.mjs \(\+5 −0 lines\)/);
      expect(asked[3]).toMatch(/^Run a command \(.*\): node --test/);

      const edit = await following.record('APPROVAL_REQUIRED', 5);
      expect(edit.action).toContain('src/sum.mjs (+1 −1 lines)');
      expect(edit.action).toContain('\n-  return numbers.reduce((a, b) => a - b, 0);\n');
      expect(edit.action).toContain('\n+  return numbers.reduce((a, b) => a + b, 0);\n');
      expect(readFileSync(at('src/sum.mjs'), 'utf8')).toBe(SUM);
      await approve();
      await approve();

      const reader = await following.end();
      expect(reader.faults).toEqual([]);
      expect(reader.find('ANSWER')).toMatchObject({ content: 'The test passes.' });
      expect(reader.find('INTERACTION_COMPLETE')).toMatchObject({ status: 'COMPLETED' });
      expect(reader.list('APPROVAL_REQUIRED')).toHaveLength(6);
      const results = reader.list('TOOL_RESULT');
      const order = reader
        .list('TOOL_CALL')
        .map((made) => results.find(({ id }) => id === made.id)!);
      expect(order.map(({ tool_name, is_error }) => [tool_name, is_error])).toEqual([
        ['write', false],
        ['write', false],
        ['write', false],
        ['bash', true],
        ['glob', false],
        ['grep', false],
        ['read', false],
        ['edit', false],
        ['bash', false],
      ]);
      const said = order.map(({ tool_output }) => tool_output);
      expect(said[3]).toMatch(/# fail 1\n.*\[exit code 1\]$/s);
      expect(said[4]).toBe('src/sum.mjs\ntest/sum.test.mjs\n[2 files]');
      expect(said[5]).toBe(
        'src/sum.mjs:2:   return numbers.reduce((a, b) => a - b, 0);\n[1 line in 1 file]',
      );
      expect(said[6]).toContain('2\t  return numbers.reduce((a, b) => a - b, 0);');
      expect(said[8]).toMatch(/# pass 1\n# fail 0\n.*\[exit code 0\]$/s);
    });

    it('leaves the files on the disk, and a conversation that can go on', async () => {
      expect(readdirSync(at('')).sort()).toEqual(['package.json', 'src', 'test']);
      expect(readFileSync(at('src/sum.mjs'), 'utf8')).toBe(SUM.replace('a - b', 'a + b'));
      expect(readFileSync(at('test/sum.test.mjs'), 'utf8')).toBe(TEST);
      const chat = (await server.api.get('/chats/coding')).body;
      const { messages } = chat.interactions[0].final_agent_state;
      expect(checkConversation(messages)).toEqual([]);
      expect(messages.map(({ role }: { role: string }) => role).join(' ')).toBe(
        [
          'user assistant tool tool assistant tool assistant tool',
          'assistant tool tool tool assistant tool assistant tool assistant',
        ].join(' '),
      );
      const next = await server.api.say(
        'coding',
        script({ calls: [call('read', { path: 'src/sum.mjs' })] }),
      );
      expect(next.find('TOOL_RESULT')!.tool_output).toContain('a + b');
      expect(server.fake.violations).toEqual([]);
    });
  });
}
