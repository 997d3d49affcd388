import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, Reply } from '../support/client/api-client.js';
import type { EventReader } from '../support/client/event-reader.js';
import { Person } from '../support/client/person.js';
import { Gate } from '../support/gate.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { playScript, script } from '../support/model/scripted-answers.js';
import { builtServer } from '../support/server/built-server.js';
import { onStores, PGLITE, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { Following } from '../support/store/following.js';
import { EXHAUSTIVE } from '../support/thoroughness.js';

// Over 20 s: servers stop and start again for each kind of answer.

const GAP_MS = 2;
/** A call that had begun is reported, not run again (I4). */
const STOPPED = expect.stringMatching(/server (was )?stopped/);
const QUESTION = { name: 'ask_human', arguments: { question: 'Well?' } };
const DOOR = { name: 'open_door', arguments: {} };
const OPEN_DOOR = {
  name: 'open_door',
  description: 'Opens a door of the house.',
  input_schema: { type: 'object' },
};

/** An interaction that waits for a person or a client. */
interface Waiting {
  readonly of: { readonly chat_id: string; readonly id: string };
  readonly following: Following;
  /** Of the approval or the question. */
  readonly request_id: string;
  readonly tool_call_id: string;
  readonly agent_id: string;
  /** Where the tool `note` leaves a line. */
  readonly path: string;
}

type Send = (person: Person, waiting: Waiting) => Promise<Reply>;

interface Act {
  readonly asks: 'APPROVAL_REQUIRED' | 'INPUT_REQUIRED' | 'TOOL_RESULT_REQUIRED';
  readonly send: Send;
  /** What can only be done while the act was not. */
  readonly instead: Send;
  /** Repeated after it counts, it is refused with this. */
  readonly repeated?: string;
  /** How the log shows that it counts. */
  readonly isIn: (reader: EventReader) => boolean;
}

const approve: Send = (person, { of, request_id }) => person.approve(of, request_id);
const reject: Send = (person, { of, request_id }) => person.reject(of, request_id);
const answer =
  (text: string): Send =>
  (person, { of, request_id }) =>
    person.respond(of, request_id, text);
const openDoor =
  (tool_output: string): Send =>
  (person, { of, tool_call_id }) =>
    person.toolResult(of, { tool_call_id, tool_output });
const isCancelled = (reader: EventReader): boolean => reader.find('CANCELLED') !== undefined;

const ACTS: Readonly<Record<string, Act>> = {
  approve: {
    ...{ asks: 'APPROVAL_REQUIRED', send: approve, instead: reject },
    repeated: 'already_processed',
    isIn: (reader) => reader.find('APPROVED') !== undefined,
  },
  reject: {
    ...{ asks: 'APPROVAL_REQUIRED', send: reject, instead: approve },
    repeated: 'already_processed',
    isIn: (reader) => reader.find('REJECTED') !== undefined,
  },
  respond: {
    ...{ asks: 'INPUT_REQUIRED', send: answer('first'), instead: answer('second') },
    repeated: 'already_processed',
    isIn: (reader) => reader.find('INPUT_RECEIVED')?.answer === 'first',
  },
  'tool-results': {
    ...{ asks: 'TOOL_RESULT_REQUIRED', send: openDoor('open'), instead: openDoor('stuck') },
    repeated: 'already_processed',
    isIn: (reader) => reader.find('TOOL_RESULT')?.tool_output === 'open',
  },
  intervene: {
    ...{ asks: 'INPUT_REQUIRED', instead: answer('second') },
    send: (person, { agent_id }) => person.intervene(agent_id, 'Hurry.'),
    isIn: (reader) => reader.find('AGENT_INTERVENED') !== undefined,
  },
  cancel: {
    ...{ asks: 'INPUT_REQUIRED', instead: answer('second'), isIn: isCancelled },
    send: (person, { of }) => person.cancel(of),
    repeated: 'already_ended',
  },
  edit: {
    ...{ asks: 'INPUT_REQUIRED', instead: answer('second'), isIn: isCancelled },
    send: (person, { of }) => person.edit(of, 'Hi', { on_conflict: 'interrupt' }),
  },
};

const KINDS = Object.keys(ACTS);
/** In each, acts are sent in another order, and the signal after more of them were answered. */
const ROUNDS = EXHAUSTIVE ? 3 * KINDS.length : 4;

describe('What people and clients send while the server is told to stop', () => {
  let fake: FakeOpenAi;
  let server: ServerProcess;
  let data: ProcessData;
  let folder: string;

  const start = async (): Promise<ApiClient> => {
    const models = { MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl };
    const settings = { ...models, SHUTDOWN_GRACE_MS: '20000', LEASE_TTL_MS: '4000' };
    server = await ServerProcess.start({ ...settings, ...data.env }, [
      await builtServer('dist/test/support/server/faulty-server.js'),
    ]);
    return server.api();
  };

  const waitFor = async (api: ApiClient, chat: string, kind: string): Promise<Waiting> => {
    const path = join(folder, `${chat}.txt`);
    const calls = {
      APPROVAL_REQUIRED: { name: 'note', arguments: { path, text: 'noted' } },
      INPUT_REQUIRED: QUESTION,
      TOOL_RESULT_REQUIRED: DOOR,
    };
    const { asks } = ACTS[kind]!;
    const user_message = script({ calls: [calls[asks]] });
    const of = await api.begin(chat, { user_message, client_tools: [OPEN_DOOR] });
    const following = new Following(api, of);
    const asked = await following.record(asks);
    const request_id = 'approval_id' in asked ? asked.approval_id : asked.request_id;
    const tool_call_id = 'tool_call_id' in asked ? asked.tool_call_id! : '';
    return { of, following, request_id, tool_call_id, agent_id: asked.agent_id, path };
  };

  beforeAll(async () => {
    fake = await FakeOpenAi.start();
    fake.otherwise(playScript);
    folder = await mkdtemp(join(tmpdir(), 'parley-notes-'));
  });
  afterAll(async () => {
    await fake.stop();
    await rm(folder, { recursive: true, force: true });
  });

  for (const { name, fault, create } of onStores(PGLITE, POSTGRES))
    (fault ? describe.skip : describe)(`on ${name}`, () => {
      beforeAll(async () => {
        data = await create();
      });
      afterAll(async () => {
        await server.kill('SIGKILL');
        await data.remove();
      });

      it(
        'is answered and counts, or is refused and does not count',
        async () => {
          let api = await start();
          const person = new Person(() => api);
          for (let round = 0; round < ROUNDS; round++) {
            const kinds = KINDS.map((_, n) => KINDS[(n + 2 * round) % KINDS.length]!);
            const all = await Promise.all(
              kinds.map((kind) => waitFor(api, `${name}-${kind}-${round}`, kind)),
            );
            const answered = Array.from({ length: (2 * round) % KINDS.length }, () => new Gate());
            let count = 0;
            const replies = all.map(async (waiting, n) => {
              await delay(n * GAP_MS);
              const reply = await ACTS[kinds[n]!]!.send(person, waiting).catch(() => undefined);
              answered[count++]?.open();
              return reply;
            });
            await Promise.all(answered.map((gate) => gate.pass()));
            const ended = server.kill('SIGTERM');
            const first = await Promise.all(replies);
            expect(await ended).toEqual({ code: 0, signal: null });

            api = await start();
            for (const [n, waiting] of all.entries())
              await check(api, waiting, kinds[n]!, first[n]);
          }
        },
        ROUNDS * 60_000,
      );
    });
});

/** What became of an act, once its interaction has ended at the next server. */
async function check(
  api: ApiClient,
  waiting: Waiting,
  kind: string,
  first: Reply | undefined,
): Promise<void> {
  const { of, following } = waiting;
  const act = ACTS[kind]!;
  const person = new Person(() => api);
  const isAnswered = first !== undefined && first.status < 300;
  if (first && !isAnswered) expect([kind, first.status]).toEqual([kind, 503]);
  // An intervention leaves the question open.
  if (!isAnswered || kind === 'intervene') {
    const { status } = await act.instead(person, waiting);
    expect([kind, isAnswered, status]).toEqual([kind, isAnswered, 200]);
  }
  await following.resume(api);
  const reader = await following.end();
  expect([kind, reader.faults]).toEqual([kind, []]);
  expect([kind, act.isIn(reader)]).toEqual([kind, isAnswered]);
  expect(reader.list('AGENT_INTERVENED').length).toBeLessThanOrEqual(1);
  const status = isAnswered && act.isIn === isCancelled ? 'CANCELLED' : 'COMPLETED';
  expect([kind, reader.records.at(-1)]).toMatchObject([kind, { status }]);
  if (isAnswered && act.repeated) {
    const { body } = await act.send(person, waiting);
    expect([kind, body.type]).toEqual([kind, `/problems/${act.repeated}`]);
  }
  await checkNotes(waiting);
  await checkEdits(api, of, kind === 'edit' && isAnswered ? first.body.id : undefined);
}

/** A call runs once, if it was approved and the server did not stop while it ran. */
async function checkNotes({ following, path }: Waiting): Promise<void> {
  const notes = await readFile(path, 'utf8').catch(() => '');
  const result = following.reader.find('TOOL_RESULT');
  if (result?.tool_name !== 'note') return expect(notes).toBe('');
  const { is_error, tool_output } = result;
  if (!following.reader.find('APPROVED')) return expect([is_error, notes]).toEqual([true, '']);
  if (is_error)
    expect(['', 'noted\n'].map((text) => [text, STOPPED])).toContainEqual([notes, tool_output]);
  else expect(notes).toBe('noted\n');
}

async function checkEdits(
  api: ApiClient,
  { chat_id, id }: Waiting['of'],
  edit: string | undefined,
): Promise<void> {
  const { body } = await api.get(`/chats/${chat_id}?include=superseded`);
  const ids = body.interactions.map((each: { id: string }) => each.id);
  expect(ids).toEqual(edit === undefined ? [id] : [id, edit]);
  if (edit === undefined) return;
  const { records } = await api.follow({ chat_id, id: edit });
  expect(records.at(-1)).toMatchObject({ status: 'COMPLETED' });
}
