import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { builtServer } from '../support/server/built-server.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { FILES, POSTGRES } from '../support/server/process-data.js';
import { Following } from '../support/store/following.js';
import { Gate } from '../support/gate.js';
import { Person } from '../support/client/person.js';
import { readFolder } from '../support/read-folder.js';
import { ServerProcess } from '../support/server/server-process.js';
import type { Environment } from '../../src/config/load-config.js';
import { allTenants } from '../support/store/all-tenants.js';

// Over 20 s: a server starts after each kill, and on Postgres waits for the lease of the killed
// one.

const CANARY = /CANARY-\d/;
const PATTERNS = [{ name: 'canary', pattern: 'CANARY-[0-9]+' }];
const GONE = '[redacted: canary]';
const LONG = 'word '.repeat(200);

/** Every byte that the store has kept. */
async function kept({ DATABASE_URL, DATA_DIR }: Environment): Promise<string> {
  const files = await readFolder(DATA_DIR!);
  if (DATABASE_URL === undefined) return files;
  const client = new Client({ connectionString: allTenants(DATABASE_URL) });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    const tables = [];
    for (const { name } of rows)
      tables.push((await client.query(`SELECT t::text AS row FROM ${name} t`)).rows);
    return JSON.stringify(tables) + files;
  } finally {
    await client.end();
  }
}

for (const { name, fault, create } of [FILES, POSTGRES])
  (fault ? describe.skip : describe)(
    `What is redacted, when servers are killed, on ${name}`,
    () => {
      let fake: FakeOpenAi;
      let server: ServerProcess;
      let folder: string;

      beforeAll(async () => {
        fake = await FakeOpenAi.start();
        folder = await mkdtemp(join(tmpdir(), 'parley-redact-'));
        await writeFile(join(folder, 'patterns.json'), JSON.stringify(PATTERNS));
      });
      afterAll(async () => {
        await server?.kill('SIGKILL');
        await fake.stop();
        await rm(folder, { recursive: true, force: true });
      });

      it('is in no byte of the store, the log, the streams and the requests to models', async () => {
        const data = await create();
        let output = '';
        const start = async () => {
          output += server?.output ?? '';
          server = await ServerProcess.start(
            {
              ...{ MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl },
              ...{ REDACT_PATTERNS: join(folder, 'patterns.json'), LOG_LEVEL: 'trace' },
              ...{ LEASE_TTL_MS: '2000', SANDBOX: 'none', WORKSPACE_DIR: join(folder, 'work') },
              ...data.env,
            },
            [await builtServer()],
          );
          return server.api();
        };
        let api = await start();
        const person = new Person(() => api);
        const gate = new Gate();
        const ask = { name: 'ask_human', arguments: { question: 'Which?' } };
        const print = { command: `printf 'CANARY-%d %s' 3 CANARY` };
        fake.reply(
          { calls: [ask] },
          { calls: [{ name: 'bash', arguments: { command: 'echo CANARY-4' } }] },
          { calls: [{ name: 'bash', arguments: print }] },
          { text: [`${LONG}CANARY-5 ${LONG}`, gate] },
          { thinking: `CANARY-6 ${LONG}`, text: `${LONG}CANARY-7 ${LONG}`, chunk_size: 3 },
        );

        const body = { user_message: 'I am CANARY-1', approval_mode: 'auto' };
        const key = { 'idempotency-key': 'k' };
        const of = await api.begin('killed', body, key);
        const following = new Following(api, of);
        const { request_id, agent_id } = await following.record('INPUT_REQUIRED');
        await api.post(`/agents/${agent_id}/intervene`, { user_comment: 'A note: CANARY-8' });
        await server.kill('SIGKILL');
        api = await start();
        await following.resume(api);
        expect((await api.begin('killed', body, key)).id).toBe(of.id);
        await person.respond(of, request_id, 'CANARY-2');
        await following.event('TEXT_DELTA');
        await server.kill('SIGKILL');
        gate.open();
        api = await start();
        await following.resume(api);
        const reader = await following.end();

        expect(reader.faults).toEqual([]);
        expect(reader.find('INTERACTION_COMPLETE')).toMatchObject({ status: 'COMPLETED' });
        expect(reader.find('INTERACTION_STARTED')?.user_message).toBe(`I am ${GONE}`);
        expect(reader.find('INPUT_RECEIVED')?.answer).toBe(GONE);
        expect(reader.find('AGENT_INTERVENED')?.user_comment).toBe(`A note: ${GONE}`);
        expect(reader.find('ANSWER')?.content).toBe(`${LONG}${GONE} ${LONG}`);
        const notices = reader.list('NOTICE').map(({ message }) => message);
        for (const subject of ['The message', 'The answer', 'The note'])
          expect(notices.filter((each) => each.startsWith(subject))).toEqual([
            `${subject} was redacted: canary (1×).`,
          ]);
        const log = await (await fetch(`${api.url}/chats/killed/log`)).text();
        expect(log).toContain(GONE);
        expect(log).not.toMatch(CANARY);
        expect(JSON.stringify((await api.get('/requests')).body)).not.toMatch(CANARY);
        expect(JSON.stringify(following.frames)).not.toMatch(CANARY);
        expect(JSON.stringify(fake.requests.map((request) => request.body))).not.toMatch(CANARY);
        const bytes = await kept(data.env);
        expect(bytes).toContain(GONE);
        expect(bytes).not.toMatch(CANARY);
        await server.kill('SIGTERM');
        output += server.output;
        expect(output).not.toMatch(CANARY);
        await data.remove();
      });
    },
  );
