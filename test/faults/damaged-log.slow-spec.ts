import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiClient } from '../support/client/api-client.js';
import { LiveWatch } from '../support/client/live-watch.js';
import { Person } from '../support/client/person.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { playScript, script } from '../support/model/scripted-answers.js';
import { builtServer } from '../support/server/built-server.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { Following } from '../support/store/following.js';

const CALCULATES = { name: 'calculator', arguments: { expression: '6*7' } };
const ASKS = { name: 'ask_human', arguments: { question: 'Well?' } };

/** Each in the first record of a type; of the same length, so that the rest is where it was. */
const DAMAGES = [
  ['an answer without its text', 'ANSWER', '"content":', '"kontent":'],
  ['an answer without its block', 'ANSWER', '"block_id":', '"klock_id":'],
  ['an answer whose text is none', 'ANSWER', '"content":"Done."', '"content":1234567'],
  ['thoughts without their text', 'THINKING', '"content":', '"kontent":'],
  ['a call without its input', 'TOOL_CALL', '"tool_input":', '"tool_inpux":'],
  ['a result without its output', 'TOOL_RESULT', '"tool_output":', '"tool_outpux":'],
] as const;

describe('A log with a record that lacks something, or of an unknown type', () => {
  let fake: FakeOpenAi;
  let server: ServerProcess;
  let data: ProcessData;
  let api: ApiClient;

  const start = async (): Promise<void> => {
    const models = { MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl };
    server = await ServerProcess.start({ ...models, ...data.env }, [await builtServer()]);
    api = await server.api();
  };

  /** Changes the first record of a type in the file of a log. */
  const damage = async (id: string, type: string, from: string, to: string): Promise<void> => {
    const folder = data.env['DATA_DIR']!;
    const names = await readdir(folder, { recursive: true });
    const path = join(
      folder,
      names.find((name) => name.endsWith(`/${id}.events.jsonl`))!,
    );
    const lines = (await readFile(path, 'utf8')).split('\n');
    const at = lines.findIndex((line) => line.includes(`"body":{"type":"${type}"`));
    const changed = lines[at]!.replace(from, to);
    expect([changed.length, changed]).toEqual([
      lines[at]!.length,
      expect.not.stringMatching(lines[at]!),
    ]);
    await writeFile(path, lines.with(at, changed).join('\n'));
  };

  beforeAll(async () => {
    fake = await FakeOpenAi.start();
    fake.otherwise(playScript);
    data = await FILES.create();
    await start();
  });
  afterAll(async () => {
    await server.kill('SIGKILL');
    await fake.stop();
    await data.remove();
  });

  it('tells readers once that it can’t be read, and answers everything else', async () => {
    const message = script({ thinking: 'Hm.', calls: [CALCULATES] });
    const all = await Promise.all(
      DAMAGES.map(async (_, n) => {
        const { records } = await api.say(`damaged-${n}`, message);
        return { chat_id: `damaged-${n}`, id: records[0]!.interaction_id };
      }),
    );
    await server.kill('SIGTERM');
    for (const [n, [, type, from, to]] of DAMAGES.entries())
      await damage(all[n]!.id, type, from, to);
    await start();
    const listed = (await api.get('/chats')).body.items as { id: string }[];
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(all.map((of) => of.chat_id)));
    for (const [n, [what]] of DAMAGES.entries()) {
      const of = all[n]!;
      const failed = { type: 'ERROR', interaction_id: of.id, code: 'log_unreadable' };
      const frames = await (await api.events(of)).all();
      expect([what, frames.at(-1)]).toMatchObject([what, { event: 'error', data: failed }]);
      expect((await api.events(of, frames.at(-1)!.id)).status).toBe(204);
      const path = `/chats/${of.chat_id}`;
      const chat = await LiveWatch.open(api, `${path}/events`, `${of.id}/0`);
      expect([what, await chat.until('error')]).toMatchObject([what, failed]);
      await chat.close();
      const one = await api.get(`${path}/interactions/${of.id}`);
      expect([what, one.body.type]).toEqual([what, '/problems/record_damaged']);
      const shown = await api.get(path);
      expect([what, shown.status, shown.body.interactions[0].id]).toEqual([what, 200, of.id]);
    }
    expect(server.output).not.toContain('"level":60');
  });

  it('is read to its end, if there is only a type that this version does not know', async () => {
    const { records } = await api.say('newer', script({ calls: [CALCULATES] }));
    const of = { chat_id: 'newer', id: records[0]!.interaction_id };
    await server.kill('SIGTERM');
    await damage(of.id, 'TURN_COMPLETED', 'TURN_COMPLETED', 'TURN_IMPROVED_');
    await start();
    const frames = await (await api.events(of)).all();
    const names = frames.map(({ event }) => event);
    expect([names.at(-1), names.includes('turn_improved_')]).toEqual([
      'interaction_complete',
      true,
    ]);
    expect((await api.interaction(of)).answer).toBe('Done.');
    const chat = await LiveWatch.open(api, '/chats/newer/events', `${of.id}/0`);
    await chat.until('interaction_complete');
    await chat.close();
  });

  it('fails the run that goes on with it, which can be retried', async () => {
    const message = script({ calls: [CALCULATES] }, { calls: [ASKS] });
    const following = new Following(api, await api.begin('waits', message));
    const { request_id } = await following.record('INPUT_REQUIRED');
    await server.kill('SIGTERM');
    await damage(following.of.id, 'TOOL_RESULT', '"tool_output":', '"tool_outpux":');
    await start();
    const person = new Person(() => api);
    expect((await person.respond(following.of, request_id, 'Go on.')).status).toBe(200);
    await following.resume(api);
    const reader = await following.end();
    expect(reader.faults).toEqual([]);
    expect(reader.records.at(-1)).toMatchObject({ status: 'FAILED' });
    expect(reader.find('ERROR')).toMatchObject({ code: 'log_unreadable' });
  });
});
