import type { InteractionStatus } from '../../../src/protocol/interaction.js';
import type { Reply } from '../../support/client/api-client.js';
import { eventually } from '../../support/eventually.js';
import type { EventStream } from '../../support/client/event-stream.js';
import { makeToolAsk } from '../../support/tools/make-tool-ask.js';
import type { Person } from '../../support/client/person.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { withPeople } from '../with-people.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

type State = 'QUEUED' | 'RUNNING' | 'WAITING_APPROVAL' | 'WAITING_INPUT' | 'parked' | 'ended';
type Action =
  'start' | 'approve' | 'reject' | 'respond' | 'cancel' | 'edit' | 'disconnect' | 'expire';

/**
 * What an action answers, if it is a request, and what the interaction comes to; a code where it is
 * refused.
 */
type Row = readonly [
  state: State,
  action: Action,
  http: number | null,
  after: InteractionStatus,
  code?: string,
];

/**
 * `ended` is COMPLETED, its approval given. `disconnect` is of a streamed start with its defaults;
 * `expire` of what there is to expire.
 */
const TABLE: readonly Row[] = [
  ['QUEUED', 'start', 409, 'QUEUED', 'chat_busy'],
  ['QUEUED', 'approve', 404, 'QUEUED', 'request_not_found'],
  ['QUEUED', 'reject', 404, 'QUEUED', 'request_not_found'],
  ['QUEUED', 'respond', 404, 'QUEUED', 'request_not_found'],
  ['QUEUED', 'cancel', 202, 'CANCELLED'],
  ['QUEUED', 'edit', 409, 'QUEUED', 'interaction_queued'],
  ['QUEUED', 'disconnect', null, 'CANCELLED'],
  ['QUEUED', 'expire', null, 'QUEUED'],

  ['RUNNING', 'start', 409, 'RUNNING', 'chat_busy'],
  ['RUNNING', 'approve', 404, 'RUNNING', 'request_not_found'],
  ['RUNNING', 'reject', 404, 'RUNNING', 'request_not_found'],
  ['RUNNING', 'respond', 404, 'RUNNING', 'request_not_found'],
  ['RUNNING', 'cancel', 202, 'CANCELLED'],
  ['RUNNING', 'edit', 409, 'RUNNING', 'chat_busy'],
  ['RUNNING', 'disconnect', null, 'CANCELLED'],
  ['RUNNING', 'expire', null, 'RUNNING'],

  ['WAITING_APPROVAL', 'start', 409, 'WAITING_APPROVAL', 'chat_busy'],
  ['WAITING_APPROVAL', 'approve', 200, 'COMPLETED'],
  ['WAITING_APPROVAL', 'reject', 200, 'COMPLETED'],
  ['WAITING_APPROVAL', 'respond', 404, 'WAITING_APPROVAL', 'request_not_found'],
  ['WAITING_APPROVAL', 'cancel', 202, 'CANCELLED'],
  ['WAITING_APPROVAL', 'edit', 409, 'WAITING_APPROVAL', 'chat_busy'],
  ['WAITING_APPROVAL', 'disconnect', null, 'WAITING_APPROVAL'],
  ['WAITING_APPROVAL', 'expire', null, 'COMPLETED'],

  ['WAITING_INPUT', 'start', 409, 'WAITING_INPUT', 'chat_busy'],
  ['WAITING_INPUT', 'approve', 404, 'WAITING_INPUT', 'request_not_found'],
  ['WAITING_INPUT', 'reject', 404, 'WAITING_INPUT', 'request_not_found'],
  ['WAITING_INPUT', 'respond', 200, 'COMPLETED'],
  ['WAITING_INPUT', 'cancel', 202, 'CANCELLED'],
  ['WAITING_INPUT', 'edit', 409, 'WAITING_INPUT', 'chat_busy'],
  ['WAITING_INPUT', 'disconnect', null, 'WAITING_INPUT'],
  ['WAITING_INPUT', 'expire', null, 'COMPLETED'],

  ['parked', 'start', 409, 'WAITING_APPROVAL', 'chat_busy'],
  ['parked', 'approve', 200, 'COMPLETED'],
  ['parked', 'reject', 200, 'COMPLETED'],
  ['parked', 'respond', 404, 'WAITING_APPROVAL', 'request_not_found'],
  ['parked', 'cancel', 202, 'CANCELLED'],
  ['parked', 'edit', 409, 'WAITING_APPROVAL', 'chat_busy'],
  ['parked', 'disconnect', null, 'WAITING_APPROVAL'],
  ['parked', 'expire', null, 'COMPLETED'],

  ['ended', 'start', 202, 'COMPLETED'],
  ['ended', 'approve', 400, 'COMPLETED', 'already_processed'],
  ['ended', 'reject', 400, 'COMPLETED', 'already_processed'],
  ['ended', 'respond', 404, 'COMPLETED', 'request_not_found'],
  ['ended', 'cancel', 409, 'COMPLETED', 'already_ended'],
  ['ended', 'edit', 202, 'COMPLETED'],
  ['ended', 'disconnect', null, 'COMPLETED'],
  ['ended', 'expire', null, 'COMPLETED'],
];

const HANGS = script({ hang: true });
const APPROVAL = script({ calls: [{ name: 'calculator', arguments: { expression: '6*7' } }] });
const QUESTION = script({ calls: [{ name: 'ask_human', arguments: { question: 'Well?' } }] });
const MESSAGE_OF: Readonly<Record<State, string>> = {
  QUEUED: 'Next',
  RUNNING: HANGS,
  WAITING_APPROVAL: APPROVAL,
  WAITING_INPUT: QUESTION,
  parked: APPROVAL,
  ended: APPROVAL,
};
const FINAL: readonly InteractionStatus[] = ['COMPLETED', 'CANCELLED'];
/** Both of the clock that the tests move; the lease of a run outlasts them. */
const TIMEOUT_MS = 60_000;
const GRACE_MS = 60_000;

/** An interaction in its state, read by whoever started it, and by the test. */
class Case {
  private constructor(
    private readonly server: ServerUnderTest,
    private readonly person: Person,
    readonly of: Pick<Interaction, 'chat_id' | 'id'>,
    private readonly stream: EventStream | undefined,
    private readonly requestId: string,
  ) {}

  /** `isStreamed`: somebody reads it who can leave, and nobody else does. */
  static async bring(
    server: ServerUnderTest,
    person: Person,
    { chat, state, isStreamed }: { chat: string; state: State; isStreamed: boolean },
  ): Promise<Case> {
    if (state === 'QUEUED') {
      const asked = server.fake.requests.length + 1;
      await person.say(chat, HANGS);
      await server.fake.request(asked);
    }
    await makeToolAsk(server.api, chat, 'calculator');
    const body = { user_message: MESSAGE_OF[state], on_conflict: 'enqueue' };
    const asked = server.fake.requests.length + 1;
    const stream = isStreamed ? await server.api.stream(chat, body) : undefined;
    const of = stream ? await newest(server, chat) : await server.api.begin(chat, body);
    if (state === 'RUNNING') await server.fake.request(asked);
    const requestId = await reach(server, person, { of, state });
    return new Case(server, person, of, stream, requestId);
  }

  /** The answer, where it is a request. */
  async act(action: Action): Promise<Reply | undefined> {
    const { person, of, requestId } = this;
    switch (action) {
      case 'start':
        return this.server.api.post(
          `/chats/${of.chat_id}/interactions`,
          { user_message: 'Now' },
          { accept: 'application/json' },
        );
      case 'approve':
        return person.approve(of, requestId);
      case 'reject':
        return person.reject(of, requestId);
      case 'respond':
        return person.respond(of, requestId, 'Well.');
      case 'cancel':
        return person.cancel(of);
      case 'edit':
        return person.edit(of, 'Rather this');
      case 'disconnect':
        this.stream!.close();
        await eventually(() => this.server.isUnread(of.id));
        return undefined;
      case 'expire':
        await this.server.expire(TIMEOUT_MS);
        return undefined;
    }
  }

  /** Its status once it has that, or never will. It is asked for: nobody shall seem to read it. */
  async status(expected: InteractionStatus): Promise<InteractionStatus> {
    const ask = async () => (await this.server.api.interaction(this.of)).status;
    if (FINAL.includes(expected)) await eventually(async () => FINAL.includes(await ask()));
    return ask();
  }
}

export function describeLifecycleTable(servers: Servers): void {
  describe('Each action on an interaction, in each state of its life', () => {
    const isExpiry = ([, action]: Row): boolean => action === 'expire';
    const isParked = ([state]: Row): boolean => state === 'parked';
    const leaving = { DISCONNECT_GRACE_MS: String(GRACE_MS), LEASE_TTL_MS: '86400000' };
    const inMemory = { PARK_AFTER_MS: '60000', ...leaving };
    const atRest = { PARK_AFTER_MS: '0', ...leaving };
    const expiring = { APPROVAL_TIMEOUT_MS: String(TIMEOUT_MS) };

    it('is in the table', () => {
      const pairs = TABLE.map(([state, action]) => `${state} ${action}`);
      expect(new Set(pairs).size).toBe(6 * 8);
      expect(pairs).toHaveLength(6 * 8);
    });

    run('in memory', inMemory, (row) => !isExpiry(row) && !isParked(row));
    run('parked', atRest, (row) => !isExpiry(row) && isParked(row));
    run(
      'in memory, requests expire',
      { ...inMemory, ...expiring },
      (row) => isExpiry(row) && !isParked(row),
    );
    run(
      'parked, requests expire',
      { ...atRest, ...expiring },
      (row) => isExpiry(row) && isParked(row),
    );

    function run(how: string, env: Record<string, string>, filter: (row: Row) => boolean): void {
      describe(how, () => {
        withPeople(servers, env, (server, person) => {
          const bring = (state: State, action: Action, chat = `${state}-${action}`) =>
            Case.bring(server, person, { chat, state, isStreamed: action === 'disconnect' });
          const over: Partial<Record<Action, () => Promise<void>>> = {
            // By the time that one which is left running is cancelled, so would those be that were
            // left before.
            disconnect: async () => {
              const running = await bring('RUNNING', 'disconnect', `clock-${clocks++}`);
              const request = server.fake.requests.at(-1)!;
              await running.act('disconnect');
              server.clock.pass(GRACE_MS);
              await request.ended;
            },
            // By the time that one which was asked later has expired, so would the others have.
            expire: async () => {
              const waiting = await bring('WAITING_INPUT', 'expire', `clock-${clocks++}`);
              await waiting.act('expire');
              await waiting.status('COMPLETED');
            },
          };
          let clocks = 0;

          for (const row of TABLE.filter(filter))
            it(titleOf(row), async () => {
              const [state, action, http, after, code] = row;
              const one = await bring(state, action);
              const reply = await one.act(action);
              expect(reply?.status ?? null).toBe(http);
              expect(reply?.body.type).toBe(code && `/problems/${code}`);
              const isAwaited = action === 'expire' && state !== 'ended' && FINAL.includes(after);
              if (!isAwaited) await over[action]?.();
              expect(await one.status(after)).toBe(after);
            });
        });
      });
    }
  });
}

function titleOf([state, action, http, after, code]: Row): string {
  const answer = http === null ? '' : ` answers ${http}${code === undefined ? '' : ` ${code}`},`;
  return `${state}: ${action}${answer} and it is ${after}`;
}

/** Resolves with the id of what it waits for, or waited for, when it is in its state. */
async function reach(
  server: ServerUnderTest,
  person: Person,
  { of, state }: { of: Pick<Interaction, 'chat_id' | 'id'>; state: State },
): Promise<string> {
  const status = async () => (await server.api.interaction(of)).status;
  const request = async () =>
    (await person.inbox(`interaction_id=${of.id}`)).body.items[0]?.id as string | undefined;
  switch (state) {
    case 'QUEUED':
    case 'RUNNING':
      await eventually(async () => (await status()) === state);
      return 'approval_none';
    case 'WAITING_APPROVAL':
    case 'WAITING_INPUT':
      await eventually(async () => (await status()) === state);
      return (await request())!;
    case 'parked':
      await eventually(async () => (await status()) === 'WAITING_APPROVAL' && !server.runs(of.id));
      return (await request())!;
    case 'ended': {
      await eventually(async () => (await status()) === 'WAITING_APPROVAL');
      const id = (await request())!;
      await person.approve(of, id);
      await eventually(async () => (await status()) === 'COMPLETED');
      return id;
    }
  }
}

/** What was started last in a chat. */
async function newest(server: ServerUnderTest, chat: string): Promise<Interaction> {
  return (await server.api.get(`/chats/${chat}?include=superseded`)).body.interactions.at(-1);
}
