import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../src/config/load-config.js';
import type { ApiClient } from '../support/client/api-client.js';
import { eventually } from '../support/eventually.js';
import { keys, keysCommand } from '../support/server/keys-command.js';
import { FILES, onStores, PGLITE, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData, ProcessStore } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { readFolder } from '../support/read-folder.js';
import { findS3Fault, S3Server } from '../support/store/s3-server.js';
import { EXHAUSTIVE } from '../support/thoroughness.js';
import { masterKey } from '../support/store/master-key.js';
import type { FileInfo } from '../../src/protocol/wire/file.js';

const ENCRYPTION_KEYS = `k1:${masterKey(1)}`;
const CANARY = 'CANARY-of-what-was-plain';
const CHATS = 6;
/** So much is encrypted when the command is killed. */
const KILLS = EXHAUSTIVE ? [1, 2, 3, 5, 7, 9, 11, 13] : [1, 4, 9];
const SLOW = 60_000 * (KILLS.length + 2);

interface Place {
  readonly env: Environment;
  /** Where bytes of files are. */
  readonly folder: string;
  remove(): Promise<void>;
}

const PLACES: readonly (readonly [string, string | undefined, () => Promise<Place>])[] = [
  ...onStores(PGLITE, POSTGRES).map((store) => {
    return [`${store.name} and a folder`, store.fault, () => inFolder(store)] as const;
  }),
  ['files and S3', findS3Fault(), inS3],
];

for (const [name, fault, open] of PLACES)
  (fault ? describe.skip : describe)(`npm run keys -- encrypt on ${name}`, () => {
    it(
      'encrypts what is there, nothing lost and nothing twice, however often it is killed',
      async () => {
        const place = await open();
        const plain = { ...place.env, MODEL: 'demo/script' };
        const sealed = { ...plain, ENCRYPTION_KEYS };
        try {
          const before = await serve(plain, async (api) => {
            await write(api);
            return readAll(api);
          });
          expect(before).toContain(CANARY);
          expect(await readFolder(place.folder)).toContain(CANARY);
          for (const enough of KILLS) await killAt(enough, sealed, place);
          expect(await keys(sealed, 'encrypt')).toMatchObject({ code: 0 });
          const again = await keys(sealed, 'encrypt');
          expect(again).toMatchObject({ code: 0, said: expect.stringMatching(/^0 rows or files/) });
          expect(await readFolder(place.folder)).not.toContain(CANARY);
          // The pages of a database keep the former text for a while: the suite "encryption" dumps
          // it.
          if (place.env['STORE'] === 'file')
            expect(await readFolder(place.env['DATA_DIR']!)).not.toContain(CANARY);
          expect(await serve(sealed, readAll)).toBe(before);
        } finally {
          await place.remove();
        }
      },
      SLOW,
    );
  });

describe('npm run keys -- encrypt', () => {
  it('refuses while a server uses the data, and without a key', async () => {
    const data = await FILES.create();
    try {
      const server = await ServerProcess.start(data.env);
      const refused = await keys({ ...data.env, ENCRYPTION_KEYS }, 'encrypt');
      expect(refused).toMatchObject({
        code: 1,
        said: expect.stringMatching(/uses|is using|in use/),
      });
      await server.kill('SIGTERM');
      expect(await keys(data.env, 'encrypt')).toMatchObject({ code: 64 });
    } finally {
      await data.remove();
    }
  });

  it('leaves what a server without the key refuses', async () => {
    const data = await FILES.create();
    try {
      await serve(data.env, (api) => api.post('/chats', { id: 'kept', title: 'A title' }));
      const said = expect.stringContaining('1 rows or files');
      expect(await keys({ ...data.env, ENCRYPTION_KEYS }, 'encrypt')).toEqual({ code: 0, said });
      const refused = await ServerProcess.spawn(data.env);
      expect(await refused.ended).toMatchObject({ code: 78 });
    } finally {
      await data.remove();
    }
  });
});

describe('A copy for people of an encrypted log', () => {
  it('goes, also if the command was killed before it had removed it', async () => {
    const data = await FILES.create();
    const folder = data.env['DATA_DIR']!;
    const sealed = { ...data.env, ENCRYPTION_KEYS };
    try {
      await serve({ ...data.env, MODEL: 'demo/script' }, (api) => api.say('kept', CANARY));
      const names = await readdir(folder, { recursive: true });
      const copy = join(
        folder,
        names.find((name) => /int_[\w-]+\.json$/.test(name))!,
      );
      const plain = await readFile(copy);
      expect(plain.toString()).toContain(CANARY);
      expect(await keys(sealed, 'encrypt')).toMatchObject({ code: 0 });
      await writeFile(copy, plain);
      expect(await keys(sealed, 'encrypt')).toMatchObject({ code: 0 });
      expect(await readFolder(folder)).not.toContain(CANARY);
    } finally {
      await data.remove();
    }
  });
});

async function serve<T>(env: Environment, work: (api: ApiClient) => Promise<T>): Promise<T> {
  const server = await ServerProcess.start(env);
  const done = await work(await server.api());
  await server.kill('SIGTERM');
  return done;
}

async function write(api: ApiClient): Promise<void> {
  await Promise.all(
    Array.from({ length: CHATS }, async (_, n) => {
      const id = `chat-${n}`;
      const messages = [{ role: 'user', content: `${CANARY} first` }];
      await api.post('/chats', { id, title: `${CANARY} ${n}`, messages });
      await api.post('/tasks', { chat_id: id, title: CANARY });
      await api.say(id, `${CANARY} hello`);
      for (const chat of [id, undefined]) {
        const form = new FormData();
        if (chat) form.set('chat_id', chat);
        form.set('file', new Blob([CANARY, randomBytes(90_000)]), `${CANARY}.bin`);
        expect((await api.send('POST', '/files', { form })).status).toBe(201);
      }
    }),
  );
}

/** What clients read of all of it. */
async function readAll(api: ApiClient): Promise<string> {
  const all: unknown[] = [];
  for (let n = 0; n < CHATS; n++) {
    all.push((await api.get(`/chats/chat-${n}?state=all`)).body);
    all.push((await api.get(`/tasks?chat_id=chat-${n}`)).body);
  }
  const { items } = (await api.get('/files?limit=200')).body;
  for (const file of items as FileInfo[]) {
    const content = await fetch(`${api.url}/files/${file.id}/content`);
    all.push(file, Buffer.from(await content.arrayBuffer()).toString('base64'));
  }
  expect(items).toHaveLength(2 * CHATS);
  return JSON.stringify(all);
}

/** Kills the command when so much is encrypted as can be seen, unless it ends before. */
async function killAt(enough: number, env: Environment, place: Place): Promise<void> {
  const command = await ServerProcess.spawn(env, [await keysCommand(), 'encrypt']);
  await eventually(async () => {
    return !command.isRunning || (await countEncrypted(place)) >= enough;
  });
  await command.kill('SIGKILL');
}

/** Files of the store `files` with encrypted text, and encrypted bytes. */
async function countEncrypted({ env, folder }: Place): Promise<number> {
  const bytes = (await readdir(folder, { recursive: true })).filter((name) => /_e\b/.test(name));
  if (env['STORE'] !== 'file') return bytes.length;
  const chats = join(env['DATA_DIR']!, 'chats');
  const names = await readdir(chats, { recursive: true }).catch(() => []);
  const logs = names.filter((name) => name.endsWith('.events.jsonl'));
  const texts = await Promise.all(
    logs.map((name) => readFile(join(chats, name), 'utf8').catch(() => '')),
  );
  return bytes.length + texts.filter((text) => text.includes('enc1:')).length;
}

async function inFolder(store: ProcessStore): Promise<Place> {
  const [data, own] = [await store.create(), await FILES.create()];
  const env: Environment = {
    ...own.env,
    ...(store !== FILES && { STORE: '' }),
    ...data.env,
  };
  return { env, folder: join(env['DATA_DIR']!, 'files'), remove: () => removeAll(data, own) };
}

async function inS3(): Promise<Place> {
  const [server, data] = [await S3Server.start(), await FILES.create()];
  return {
    env: { ...data.env, ...server.env },
    folder: server.folder,
    remove: () => removeAll(server, data),
  };
}

async function removeAll(...all: readonly Pick<ProcessData, 'remove'>[]): Promise<void> {
  for (const each of all) await each.remove();
}
