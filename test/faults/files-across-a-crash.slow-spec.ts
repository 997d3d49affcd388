import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { mkdir, mkdtemp, realpath, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../support/client/api-client.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { Following } from '../support/store/following.js';
import { Person } from '../support/client/person.js';
import { onOneStore, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { playScript, script } from '../support/model/scripted-answers.js';
import { ServerProcess } from '../support/server/server-process.js';
import { some } from '../support/thoroughness.js';
import type { Interaction } from '../../src/protocol/wire/interaction.js';

const UNKNOWN =
  'The server stopped while this tool was running. It is unknown whether its effect took place: check before you call it again.';
/** So large that it takes its time to be written, with lines that are not all the same. */
const largeText = (word: string, lines: number) =>
  Array.from({ length: lines }, (_, at) => `${word} ${at}\n`).join('');
const OLD = largeText('the old line', 150_000);
const [CUT, PUT] = ['the old line 75000\n', 'the new line\n'];
const EDITED = OLD.replace(CUT, PUT);
/** It comes with the user's message, which has its limit. */
const WRITTEN = largeText('another line', 30_000);

/** A change, and the name whose appearance in the folder is the moment in which it is cut. */
const CUTS: readonly (readonly [string, string, RegExp])[] = [
  ['a write', 'before the file is in its place', /^\.parley-/],
  ['a write', 'when it is in its place', /^a\.txt$/],
  ['an edit', 'before the file is in its place', /^\.parley-/],
  ['an edit', 'when it is in its place', /^a\.txt$/],
];

const read = { name: 'read', arguments: { path: 'a.txt', limit: 1 } };
const write = { name: 'write', arguments: { path: 'a.txt', content: WRITTEN } };
const edit = {
  name: 'edit',
  arguments: { path: 'a.txt', old_string: CUT, new_string: PUT },
};

for (const { name, fault, create } of onOneStore(POSTGRES))
  (fault ? describe.skip : describe)(`A file across a crash, on ${name}`, () => {
    let data: ProcessData;
    let folder: string;
    let fake: FakeOpenAi;
    let server: ServerProcess | undefined;
    let chats = 0;
    let watcher: FSWatcher | undefined;

    beforeAll(async () => {
      data = await create();
      folder = await realpath(await mkdtemp(join(tmpdir(), 'parley-files-crash-')));
      await mkdir(join(folder, 'given'));
      fake = await FakeOpenAi.start();
      fake.otherwise(playScript);
    });
    afterEach(() => watcher?.close());
    afterAll(async () => {
      await server?.kill('SIGKILL');
      await fake.stop();
      await data.remove();
      await rm(folder, { recursive: true, force: true });
    });

    /** The server that the test before has left, or a new one. */
    const start = async (): Promise<ApiClient> => {
      if (server?.isRunning) return server.api();
      server = await ServerProcess.start({
        ...{ MODEL: 'openai/fake', OPENAI_BASE_URL: fake.baseUrl, LEASE_TTL_MS: '4000' },
        ...{ WORKSPACE_DIR: join(folder, 'work'), WORKSPACE_ROOTS: join(folder, 'given') },
        ...{ MODEL_CONTEXT_TOKENS: '10000000', ...data.env },
      });
      return server.api();
    };
    /** A chat of its own, with a file in its folder. */
    const give = async (content: string) => {
      const chat = `crash-${name.toLowerCase()}-${++chats}`;
      const workspace = join(folder, 'given', chat);
      await mkdir(workspace);
      const file = join(workspace, 'a.txt');
      await writeFile(file, content);
      const api = await start();
      expect((await api.post('/chats', { id: chat, metadata: { workspace } })).status).toBe(201);
      return { chat, file };
    };
    /** Resolves when something of this name appears in the chat's folder. */
    const sightOf = (chat: string, pattern: RegExp): Promise<void> => {
      watcher = watch(join(folder, 'given', chat));
      return new Promise((resolve) =>
        watcher?.on('change', (_, changed) => {
          if (pattern.test(String(changed))) resolve();
        }),
      );
    };
    /** Resolves when the change is made, and rejects when it came to nothing. */
    const resultOf = async (api: ApiClient, of: Interaction): Promise<void> => {
      const { tool_output, is_error } = await new Following(api, of).record('TOOL_RESULT', 2);
      if (is_error) throw new Error(tool_output);
    };

    it.each(some(CUTS, 2))(
      'is the old one or the new one when %s is cut %s (I4)',
      async (kind, _, pattern) => {
        const { chat, file } = await give(OLD);
        const [change, after] = kind === 'a write' ? [write, WRITTEN] : [edit, EDITED];
        const turns = script({ calls: [read] }, { calls: [change] });
        const seen = sightOf(chat, pattern);
        const api = await start();
        const of = await api.begin(chat, { user_message: turns, approval_mode: 'auto' });
        await Promise.race([seen, resultOf(api, of)]);
        await server!.kill('SIGKILL');
        const found = await readFile(file, 'utf8');
        expect([found === OLD, found === after]).toContain(true);
        const reader = await (await start()).follow(of);
        expect(reader.faults).toEqual([]);
        expect(reader.list('TOOL_STARTED').map(({ tool_name }) => tool_name)).toEqual([
          'read',
          change.name,
        ]);
        const { tool_output, is_error } = reader.list('TOOL_RESULT').at(-1)!;
        if (is_error) expect(tool_output).toBe(UNKNOWN);
        else expect(found === after).toBe(true);
        expect(await readFile(file, 'utf8')).toBe(found);
      },
    );

    it('is saved for download at most once when the server is killed meanwhile (I4)', async () => {
      const { chat } = await give('x'.repeat(90_000_000)); // takes its time to be copied
      const api = await start();
      const save = script({ calls: [{ name: 'file_save', arguments: { path: 'a.txt' } }] });
      const of = await api.begin(chat, { user_message: save, approval_mode: 'auto' });
      await new Following(api, of).record('TOOL_STARTED');
      await server!.kill('SIGKILL');
      const next = await start();
      const reader = await next.follow(of);
      expect(reader.faults).toEqual([]);
      expect(reader.list('TOOL_RESULT')).toMatchObject([{ tool_output: UNKNOWN, is_error: true }]);
      const { items } = (await next.get(`/files?chat_id=${chat}`)).body;
      expect((items as unknown[]).length).toBeLessThanOrEqual(1);
    });

    it('is still known when the change to it is approved after a restart', async () => {
      const { chat, file } = await give('one\ntwo\n');
      const change = { ...edit, arguments: { path: 'a.txt', old_string: 'one', new_string: '1' } };
      const person = new Person(() => api);
      let api = await start();
      const following = await person.say(chat, script({ calls: [read] }, { calls: [change] }));
      const { approval_id } = await following.record('APPROVAL_REQUIRED');
      await server!.kill('SIGKILL');
      api = await start();
      expect((await person.approve(following.of, approval_id)).status).toBe(200);
      const reader = await (await following.resume(api)).end();
      expect(reader.list('TOOL_RESULT').at(-1)).toMatchObject({ is_error: false });
      expect(await readFile(file, 'utf8')).toBe('1\ntwo\n');
      const next = { name: 'write', arguments: { path: 'a.txt', content: 'all new' } };
      await server!.kill('SIGKILL');
      api = await start();
      await api.say(chat, { user_message: script({ calls: [next] }), approval_mode: 'auto' });
      expect(await readFile(file, 'utf8')).toBe('all new');
    });
  });
