import type { ApiClient } from '../support/client/api-client.js';
import { builtServer } from '../support/server/built-server.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { Following } from '../support/store/following.js';
import { Gate } from '../support/gate.js';
import { onStores, PGLITE, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { playScript, script } from '../support/model/scripted-answers.js';
import { ServerProcess } from '../support/server/server-process.js';

const child = (prompt: string, more: object = {}) => ({
  name: 'agent',
  arguments: { prompt, ...more },
});

for (const { name, fault, create } of onStores(PGLITE, POSTGRES))
  (fault ? describe.skip : describe)(`Agents of a server on ${name}`, () => {
    let fake: FakeOpenAi;
    let server: ServerProcess | undefined;
    let data: ProcessData;

    /** The server that the test before has left, or a new one. */
    const start = async (): Promise<ApiClient> => {
      if (server?.isRunning) return server.api();
      const models = { MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl };
      const settings = { ...models, LEASE_TTL_MS: '4000', ...data.env };
      server = await ServerProcess.start(settings, [
        await builtServer('dist/test/support/server/faulty-server.js'),
      ]);
      return server.api();
    };

    beforeAll(async () => {
      fake = await FakeOpenAi.start();
      fake.otherwise(playScript);
      data = await create();
    });
    afterEach(() => expect(fake.violations).toEqual([]));
    afterAll(async () => {
      await server?.kill('SIGKILL');
      await fake.stop();
      await data.remove();
    });

    it('end with an error when their code throws where nobody can catch it, and take nobody along', async () => {
      const api = await start();
      const gate = new Gate();
      fake.reply({ text: [gate, 'Unharmed.'] });
      const neighbour = new Following(api, await api.begin('neighbour', 'Hi'));
      await gate.reached;
      const bomb = child('Go.', { agent_type: 'bomb' });
      const careless = child('Go.', { agent_type: 'careless' });
      const parent = await api.say('parent', script({ calls: [bomb, careless] }));
      expect(parent.faults).toEqual([]);
      const ends = parent.list('AGENT_COMPLETED').map(({ status, result }) => [status, result]);
      expect(ends.toSorted(([a], [b]) => a!.localeCompare(b!))).toEqual([
        ['completed', 'Fine.'],
        ['error', 'The agent failed: Boom.'],
      ]);
      expect(
        parent
          .list('TOOL_RESULT')
          .map(({ is_error }) => is_error)
          .toSorted((a, b) => Number(a) - Number(b)),
      ).toEqual([false, true]);
      expect(parent.find('ANSWER')).toMatchObject({ content: 'Done.' });
      const root = await api.say('root', { user_message: 'Go.', agent: 'bomb' });
      expect(root.find('ERROR')).toMatchObject({ code: 'agent_error' });
      expect(root.find('INTERACTION_COMPLETE')).toMatchObject({ status: 'FAILED' });
      gate.open();
      const unharmed = await neighbour.end();
      expect(unharmed.find('ANSWER')).toMatchObject({ content: 'Unharmed.' });
      expect(server!.output).toContain('Boom.');
    });

    it('read what they were told before the server was killed, once, and go on (I3)', async () => {
      let api = await start();
      const gate = new Gate();
      fake.reply({ calls: [child('Talk.')] }, { text: ['Half an', gate] });
      const of = await api.begin('told', 'Go');
      const following = new Following(api, of);
      const { agent_id } = await following.record('AGENT_STARTED');
      await gate.reached;
      const note = script({ text: 'As you say.' });
      const told = await api.post(`/agents/${agent_id}/intervene`, { user_comment: note });
      expect(told.status).toBe(202);
      await server!.kill('SIGKILL');
      gate.open();
      api = await start();
      await following.resume(api);
      const reader = await following.end();
      expect(reader.faults).toEqual([]);
      expect(reader.list('AGENT_INTERVENED')).toMatchObject([
        { agent_id, intervention_id: told.body.intervention_id },
      ]);
      expect(reader.find('AGENT_COMPLETED')).toMatchObject({ result: 'As you say.' });
      const { messages } = (await api.get(`/agents/${agent_id}`)).body;
      expect(messages.map(({ content }: { content: string }) => content)).toEqual([
        'Talk.',
        note,
        'As you say.',
      ]);
    });

    it('that were deleted just before the server was killed are not run again (I3)', async () => {
      let api = await start();
      const gate = new Gate();
      const before = fake.requests.length;
      fake.reply({ calls: [child('Talk.')] }, { text: ['Half an', gate] });
      const of = await api.begin('deleted', 'Go');
      const following = new Following(api, of);
      const { agent_id } = await following.record('AGENT_STARTED');
      await gate.reached;
      const told = await api.post(`/agents/${agent_id}/intervene`, { user_comment: 'delete' });
      expect(told.status).toBe(202);
      await server!.kill('SIGKILL');
      gate.open();
      api = await start();
      await following.resume(api);
      const reader = await following.end();
      expect(reader.faults).toEqual([]);
      expect(reader.list('AGENT_COMPLETED')).toMatchObject([{ agent_id, status: 'cancelled' }]);
      expect(reader.list('AGENT_INTERVENED')).toHaveLength(1);
      expect(reader.find('ANSWER')).toMatchObject({ content: 'Done.' });
      const asked = fake.requests.slice(before).filter(({ body }) => {
        const [first] = body['messages'] as readonly { content: string }[];
        return first?.content === 'Talk.';
      });
      expect(asked).toHaveLength(1);
    });
  });
