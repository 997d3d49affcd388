import type { ApiClient } from '../support/client/api-client.js';
import { Person } from '../support/client/person.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { playScript, script } from '../support/model/scripted-answers.js';
import { builtServer } from '../support/server/built-server.js';
import { onStores, PGLITE, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { Following } from '../support/store/following.js';

for (const { name, fault, create } of onStores(PGLITE, POSTGRES))
  (fault ? describe.skip : describe)(
    `A cancel that the server does not live to carry out, on ${name}`,
    () => {
      let data: ProcessData;
      let fake: FakeOpenAi;
      let server: ServerProcess | undefined;

      const start = async (): Promise<ApiClient> => {
        const model = { MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl };
        server = await ServerProcess.start({ ...model, LEASE_TTL_MS: '4000', ...data.env }, [
          await builtServer('dist/test/support/server/faulty-server.js'),
        ]);
        return server.api();
      };

      beforeAll(async () => {
        data = await create();
        fake = await FakeOpenAi.start();
        fake.otherwise(playScript);
      });
      afterAll(async () => {
        await server?.kill('SIGKILL');
        await fake.stop();
        await data.remove();
      });

      it('names who asked for it in the record that the next server writes', async () => {
        let api = await start();
        const user_message = script({ calls: [{ name: 'deaf', arguments: {} }] });
        const of = await api.begin('cancelled', { user_message, approval_mode: 'auto' });
        const following = new Following(api, of);
        await following.record('TOOL_STARTED');
        expect((await new Person(() => api).cancel(of)).status).toBe(202);
        await server!.kill('SIGKILL'); // the tool does not stop, so nothing was written
        expect(following.reader.types).not.toContain('CANCELLED');

        api = await start();
        await following.resume(api);
        const reader = await following.end();
        expect(reader.find('CANCELLED')).toMatchObject({
          reason: 'Cancelled by the user.',
          by: { kind: 'user', user_id: 'local' },
        });
        const { items } = (await api.get('/audit')).body;
        expect(items).toMatchObject([
          { action: 'interaction.cancelled', user_id: 'local', interaction_id: of.id },
          { action: 'chat.created', chat_id: 'cancelled' },
        ]);
      });
    },
  );
