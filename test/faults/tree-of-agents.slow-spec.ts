import type { ApiClient } from '../support/client/api-client.js';
import { checkConversation } from '../support/runs/check-conversation.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { Following } from '../support/store/following.js';
import { Person } from '../support/client/person.js';
import { onOneStore, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { playScript, script } from '../support/model/scripted-answers.js';
import { ServerProcess } from '../support/server/server-process.js';
import type { AgentView, WholeAgent } from '../../src/protocol/wire/agent.js';

const WIDTH = 4;

/** A prompt whose agent has four others work for it. */
function family(...prompts: readonly string[]): string {
  return script({
    calls: prompts.map((prompt) => ({ name: 'agent', arguments: { prompt } })),
    whole_calls: true,
  });
}

const FOUR = Array.from({ length: WIDTH }, (_, i) => i + 1);

/**
 * The last of four asks. Each is told something else: what is asked for again and again needs an
 * approval.
 */
function leaf(number: string): string {
  const ask = { name: 'ask_human', arguments: { question: `Shall ${number} go on?` } };
  const count = { name: 'calculator', arguments: { expression: `6*${number}` } };
  if (number.endsWith(String(WIDTH))) return script({ calls: [ask] });
  return script({ calls: [count] }, { text: `I have counted to ${number}.` });
}

const group = (number: string): string => family(...FOUR.map((k) => leaf(`${number}${k}`)));
const branch = (number: number): string => family(...FOUR.map((j) => group(`${number}${j}`)));
const TREE = family(...FOUR.map(branch));

const NOTE = script({ text: 'As you say.' });

for (const { name, fault, create } of onOneStore(POSTGRES))
  (fault ? describe.skip : describe)(`A tree of 4 × 4 × 4 agents on ${name}`, () => {
    let fake: FakeOpenAi;
    let server: ServerProcess;
    let data: ProcessData;
    let api: ApiClient;
    const person = new Person(() => api);

    const start = async (): Promise<ApiClient> => {
      const models = { MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl };
      server = await ServerProcess.start({ ...models, LEASE_TTL_MS: '4000', ...data.env });
      return (api = await server.api());
    };
    const restart = async (readers: readonly Following[]): Promise<void> => {
      await server.kill('SIGKILL');
      await start();
      await Promise.all(readers.map((each) => each.resume(api)));
    };

    beforeAll(async () => {
      fake = await FakeOpenAi.start();
      fake.otherwise(playScript);
      data = await create();
    });
    afterAll(async () => {
      await server.kill('SIGKILL');
      await fake.stop();
      await data.remove();
    });

    it('streams, is steered, loses a branch, is killed twice and ends as it should (I2, I3, I7, I8)', async () => {
      await start();
      const of = await api.begin('tree', TREE);
      const following = new Following(api, of);
      const late = new Following(api, of);
      await following.record('INPUT_REQUIRED', WIDTH ** 2);
      const [deleted, steered] = (await rootOf(api, of.id)).children;
      const tell = async (id: string, body: object) =>
        expect(await api.post(`/agents/${id}/intervene`, { ...body })).toMatchObject({
          status: 202,
        });
      await tell(steered!.agent_id, { user_comment: NOTE });
      await tell(deleted!.agent_id, { user_comment: 'delete' });
      await restart([following, late]);

      await following.record('AGENT_INTERVENED');
      const gone = new Set(idsOf(deleted!));
      const questions = following.reader
        .list('INPUT_REQUIRED')
        .filter(({ agent_id }) => !gone.has(agent_id));
      expect(questions).toHaveLength(WIDTH ** 2 - WIDTH);
      const answer = async ({ request_id }: { request_id: string }) =>
        expect(await person.respond(of, request_id, 'Well.')).toMatchObject({ status: 200 });
      await Promise.all(questions.slice(0, 5).map(answer));
      await following.record('INPUT_RECEIVED', WIDTH + 5);
      await restart([following, late]);
      await Promise.all(questions.slice(5).map(answer));

      const reader = await following.end();
      const other = await late.end();
      expect([reader.faults, other.faults]).toEqual([[], []]);
      expect(other.records).toEqual(reader.records);
      expect(fake.violations).toEqual([]);
      expect(reader.find('ANSWER')).toMatchObject({ content: 'Done.' });
      expect(reader.find('INTERACTION_COMPLETE')).toMatchObject({ status: 'COMPLETED' });
      expect(reader.list('AGENT_STARTED')).toHaveLength(WIDTH + WIDTH ** 2 + WIDTH ** 3);

      const root = await rootOf(api, of.id);
      const [first, ...others] = root.children;
      expect([root.state, first!.state]).toEqual(['completed', 'deleted']);
      expect(others.flatMap(statesOf)).toEqual(Array<string>(3 * 21).fill('completed'));
      const told = reader.list('AGENT_INTERVENED').filter(({ agent_id }) => !gone.has(agent_id));
      expect(told).toMatchObject([{ agent_id: steered!.agent_id, user_comment: NOTE }]);
      expect(others[0]!.result).toBe('As you say.');
      const results = reader.list('TOOL_RESULT');
      expect(new Set(results.map(({ id }) => id)).size).toBe(results.length);
      expect(reader.list('TOOL_CALL')).toHaveLength(results.length);
      for (const id of idsOf(root)) {
        const { messages } = (await api.get(`/agents/${id}`)).body as WholeAgent;
        expect(checkConversation(messages)).toEqual([]);
      }
      expect((await person.inbox('chat_id=tree&status=pending')).body.items).toEqual([]);
    });
  });

async function rootOf(api: ApiClient, id: string): Promise<AgentView> {
  return (await api.get(`/agents/tree?interaction_id=${id}`)).body.root;
}

function idsOf({ agent_id, children }: AgentView): string[] {
  return [agent_id, ...children.flatMap(idsOf)];
}

function statesOf({ state, children }: AgentView): string[] {
  return [state, ...children.flatMap(statesOf)];
}
