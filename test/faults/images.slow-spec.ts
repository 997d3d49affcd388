import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../support/client/api-client.js';
import { FakeAnthropic } from '../support/model/fake-anthropic.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { IMAGES } from '../support/tools/images.js';
import { makePng } from '../support/tools/photos.js';
import { Person } from '../support/client/person.js';
import { FILES, onOneStore, PGLITE, POSTGRES } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

const OPENAI = {
  name: 'OpenAI',
  start: () => FakeOpenAi.start(),
  env: (url: string) => ({ MODEL: 'openai/fake', OPENAI_BASE_URL: url, MODEL_IMAGES: 'openai/*' }),
};
const ANTHROPIC = {
  name: 'Anthropic',
  start: () => FakeAnthropic.start(),
  env: (url: string) => ({ MODEL: 'anthropic/claude-opus-5', ANTHROPIC_BASE_URL: url }),
};

describe('An image that a tool showed, when the server is killed while the model looks at it', () => {
  let folder: string;
  let server: ServerProcess | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-images-'));
    await mkdir(join(folder, 'pictures'));
    await writeFile(join(folder, 'pictures', 'a.png'), Buffer.from(IMAGES.png, 'base64'));
    await writeFile(join(folder, 'pictures', 'b.jpg'), Buffer.from(IMAGES.jpeg, 'base64'));
  });
  afterEach(() => server?.kill('SIGKILL'));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const vendors = new Map([
    [FILES, [OPENAI, ANTHROPIC]],
    [PGLITE, [OPENAI]],
    [POSTGRES, [ANTHROPIC]],
  ]);
  const rows = onOneStore(PGLITE, POSTGRES).flatMap((store) =>
    vendors.get(store)!.map((vendor) => ({ ...store, vendor })),
  );
  for (const { name, fault, create, vendor } of rows)
    (fault ? it.skip : it)(
      `is shown to ${vendor.name} from ${name} by the server after it, in the same request`,
      async () => {
        const data = await create();
        const fake = await vendor.start();
        const start = async (): Promise<ApiClient> => {
          const places = { WORKSPACE_DIR: join(folder, 'pictures'), WORKSPACE_MODE: 'shared' };
          const env = { ...data.env, ...vendor.env(fake.baseUrl), ...places };
          server = await ServerProcess.start({ ...env, LEASE_TTL_MS: '4000' });
          return server.api();
        };
        const calls = ['a.png', 'b.jpg'].map((path) => ({ name: 'read', arguments: { path } }));
        fake.reply({ calls }, { hang: true }, { text: 'Red, both.' });
        let api = await start();
        const person = new Person(() => api);
        const following = await person.say('colours', 'Which colour are they?');
        const before = (await fake.request(2)).body;
        await server!.kill('SIGKILL');
        api = await start();
        await following.resume(api);
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.find('ANSWER')).toMatchObject({ content: 'Red, both.' });
        expect(reader.list('RESUMED')).toHaveLength(1);
        expect(fake.requests).toHaveLength(3);
        expect(fake.requests[2]!.body).toEqual(before);
        expect(fake.violations).toEqual([]);
        const sent = JSON.stringify(before);
        expect([IMAGES.png, IMAGES.jpeg].map((each) => sent.split(each).length)).toEqual([2, 2]);
        await fake.stop();
        await server!.kill('SIGKILL');
        await data.remove();
      },
    );
});

describe('A large photo in a message, when the server is killed while the model looks at it', () => {
  let server: ServerProcess | undefined;

  afterEach(() => server?.kill('SIGKILL'));

  it('is scaled down once, and shown by the server after it in the same request', async () => {
    const data = await FILES.create();
    const fake = await FakeOpenAi.start();
    const start = async (): Promise<ApiClient> => {
      server = await ServerProcess.start({ ...data.env, ...OPENAI.env(fake.baseUrl) });
      return server.api();
    };
    fake.reply({ hang: true }, { text: 'Red.' });
    let api = await start();
    const form = new FormData();
    form.append(
      'file',
      new Blob([Buffer.from(makePng({ width: 2_000, height: 300 }))]),
      'photo.png',
    );
    const { id } = (await api.send('POST', '/files', { form })).body;
    const of = await api.begin('photo', { user_message: 'Which colour?', file_ids: [id] });
    const before = (await fake.request(1)).body;
    await server!.kill('SIGKILL');
    api = await start();
    expect((await api.send('DELETE', `/files/${id}`)).status).toBe(204);
    const reader = await api.follow(of);
    expect(reader.find('ANSWER')).toMatchObject({ content: 'Red.' });
    expect(reader.list('RESUMED')).toHaveLength(1);
    expect(fake.requests.map(({ body }) => body)).toEqual([before, before]);
    expect(JSON.stringify(before)).toContain('image/jpeg, 1568×235');
    await fake.stop();
    await server!.kill('SIGKILL');
    await data.remove();
  });
});
