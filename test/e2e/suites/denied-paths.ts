import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PYTHON_FOLDER } from '../../support/tools/python-folder.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import type { TestServer } from '../../support/server/test-server.js';
import type { Servers } from '../servers.js';
import type { OpenStore } from '../stores.js';

const CONTENT = 'nobody may see this\n';

/** Ways to `secret/key`. */
const SPELLINGS = [
  ...['secret/key', './secret/../secret/key', 'secret//key', 'secret/./key', 'SECRET/KEY'],
  ...['link', 'folder/key', 'here/secret/key', 'here/here/secret/key', 'folder/../folder/key'],
  ...['\u017fecret/key', 'secret\\key'],
];

const COMMANDS = [
  ...['cat secret/key', 'cat ./secret/../secret/key', 'cat < secret/key', 'cat "sec"ret/key'],
  ...['cat secret/*', 'cat ./s*/key', 'cat $(echo secret/key)', 'x=secret; cat $x/key'],
  ...[
    'cat SECRET/key',
    'bash -c "cat secret/key"',
    'head -n1 --silent secret/key',
    'grep . -r secret',
  ],
];

export function describeDeniedPaths(servers: Servers): void {
  describe('A rule that denies the paths of a folder', () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-denied-')));
    const at = (path: string): string => join(folder, 'work', path);
    let opened: OpenStore;
    let server: TestServer;
    let chats = 0;
    let approval_mode = 'deny';

    beforeAll(async () => {
      await mkdir(at('secret'), { recursive: true });
      await writeFile(at('secret/key'), CONTENT);
      await writeFile(at('open.txt'), 'anybody may see that\n');
      await symlink('secret/key', at('link'));
      await symlink('secret', at('folder'));
      await symlink('.', at('here'));
      opened = await servers.open();
      const env = {
        ...{ WORKSPACE_DIR: join(folder, 'work'), WORKSPACE_MODE: 'shared' },
        ...{ DATA_DIR: PYTHON_FOLDER, TOOL_CALLS_PER_MINUTE: '0' },
      };
      server = await servers.start(opened.stores, { env });
      server.fake.otherwise(playScript);
      const matcher = { type: 'path', pattern: 'secret/**' };
      await server.api.post('/permissions/rules', { scope: 'user', decision: 'deny', matcher });
      const all = { type: 'all' };
      await server.api.post('/permissions/rules', {
        scope: 'global',
        decision: 'allow',
        matcher: all,
      });
    });
    afterAll(async () => {
      await server.stop();
      await opened.close();
      rmSync(folder, { recursive: true, force: true });
    });

    afterEach(() => void (approval_mode = 'deny'));

    /**
     * What comes of calls, all of which are allowed, where nobody agrees to what is asked unless
     * the mode says so.
     */
    const resultsOf = async (...calls: { name: string; arguments: object }[]) => {
      const body = { user_message: script({ calls }), approval_mode };
      const reader = await server.api.say(`denied-${++chats}`, body);
      expect(reader.faults).toEqual([]);
      return reader.list('TOOL_RESULT');
    };
    const untouched = async () => {
      expect(await readFile(at('secret/key'), 'utf8')).toBe(CONTENT);
    };

    it.each(SPELLINGS)('is not got around by %j', async (path) => {
      const results = await resultsOf(
        { name: 'read', arguments: { path } },
        { name: 'grep', arguments: { pattern: 'nobody', path } },
        {
          name: 'glob',
          arguments: { pattern: '**', path: path.replace(/[/\\]?key$/i, '') || '.' },
        },
        { name: 'glob', arguments: { pattern: path } },
        { name: 'write', arguments: { path, content: 'x' } },
        { name: 'edit', arguments: { path, old_string: 'nobody', new_string: 'all' } },
        {
          name: 'python',
          arguments: { code: `print(tool('read', path=${JSON.stringify(path)}))` },
        },
      );
      const seen = results.filter(({ tool_output }) => tool_output.includes(CONTENT.trim()));
      expect(seen.map(({ tool_name }) => tool_name)).toEqual([]);
      await untouched();
    });

    it('leaves what a link leads to alone where nothing is denied', async () => {
      const path = 'here/open.txt';
      const results = await resultsOf({ name: 'read', arguments: { path } });
      expect(results[0]!.tool_output).toContain('anybody');
      const made = { name: 'write', arguments: { path: 'folder/deep/new', content: 'x' } };
      expect(await resultsOf(made)).toMatchObject([
        { is_error: true, tool_output: expect.stringContaining('Name the file itself') },
      ]);
      expect(await readdir(at('secret'))).toEqual(['key']);
    });

    it('holds for each of fifty calls at once, whatever becomes of the others', async () => {
      const kinds = [
        { name: 'read', arguments: { path: 'open.txt' } },
        { name: 'read', arguments: { path: 'secret/key' } },
        { name: 'write', arguments: { path: 'folder/key', content: 'x' } },
        { name: 'current_time', arguments: {} },
        { name: 'read', arguments: { path: 'link' } },
      ];
      const calls = Array.from({ length: 50 }, (_, n) => kinds[n % kinds.length]!);
      const results = await resultsOf(...calls);
      const failed = results.map(({ is_error }) => is_error);
      expect(results.map(({ tool_name }) => tool_name).toSorted()).toEqual(
        calls.map(({ name }) => name).toSorted(),
      );
      expect(failed.filter(Boolean)).toHaveLength(30);
      expect(results.filter(({ tool_output }) => tool_output.includes('nobody may'))).toEqual([]);
      await untouched();
    });

    it('lets other commands run', async () => {
      const results = await resultsOf({ name: 'bash', arguments: { command: 'cat open.txt' } });
      expect(results[0]!.tool_output).toContain('anybody');
    });

    it.each(COMMANDS)(
      'keeps a command from running, also where all is allowed: %s',
      async (command) => {
        for (const mode of ['deny', 'auto']) {
          approval_mode = mode;
          const results = await resultsOf({ name: 'bash', arguments: { command } });
          expect(results).toMatchObject([{ is_error: true }]);
          expect(results[0]!.tool_output).not.toContain(CONTENT.trim());
        }
      },
    );
  });
}
