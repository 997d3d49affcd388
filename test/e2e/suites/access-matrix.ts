import { HumanTestModule } from '../../support/runs/human-test.module.js';
import { allows, compare, shown } from '../access-matrix/compare.js';
import type { Caller, Sent } from '../access-matrix/compare.js';
import { sendRow } from '../access-matrix/send-row.js';
import { STATES, TABLE } from '../access-matrix/table.js';
import type { Row, State } from '../access-matrix/table.js';
import { TEXTS, makeWorld, playWorld } from '../access-matrix/world.js';
import type { Names, World } from '../access-matrix/world.js';
import { FACADE_TABLE, facadeOperations } from '../access-matrix/facade-table.js';
import { facadeRoutesOf, operationsOf, routesOf } from '../operations.js';
import type { Operation } from '../operations.js';
import { ADMIN_KEY, WITH_KEYS, makeKey } from '../with-keys.js';
import type { ServerUnderTest, Servers } from '../servers.js';
import type { Visibility } from '../../../src/protocol/interaction.js';
import { SCOPES, withIncluded } from '../../../src/auth/principal.js';
import type { Scope } from '../../../src/auth/principal.js';
import { ALL } from '../../support/thoroughness.js';

export function describeAccessMatrix(servers: Servers): void {
  describe('Each operation with each id', () => {
    // its tool runs for as long as the tests do
    const env = { ...WITH_KEYS, TOOL_TIMEOUT_MS: '900000' };
    servers.run(env, testMatrix, { modules: [HumanTestModule], isOwn: true });
  });
}

function testMatrix(server: ServerUnderTest): void {
  let operations: readonly Operation[];
  let documented: readonly Operation[];
  let callers: Readonly<Record<'ann' | 'ada' | 'ben' | 'eve', Caller>>;
  /** Chats of those who must not see those of Ann. */
  let own: Readonly<Record<'ben' | 'eve', World>>;
  /** Chats of Ann, of each visibility. */
  let worlds: Readonly<Record<'private' | 'tenant', World>>;
  let before: readonly string[];
  const tenants = ['a', 'b'].map((name) => `tenant-${name}-${Math.random().toString(36).slice(2)}`);
  const [tenant = '', elsewhere = ''] = tenants;

  const make = async (user_id: string, scopes: readonly Scope[], tenant_id = tenant) =>
    makeKey(server.api, scopes, { user_id, tenant_id });
  const worldOf = async (
    key: string,
    { word = 'own', visibility = 'private', of = tenant }: Made = {},
  ) => {
    const { id } = await make('ann', ['chat'], of);
    const more = { key: id, user: 'ann', tenant: of };
    return makeWorld(server.api.bearing(key), { word, visibility, more });
  };
  const rows = (): Sent[] =>
    [...Object.entries({ ...FACADE_TABLE, ...TABLE })].toSorted(byPlace).flatMap(([name, each]) => {
      const of = operations.find((operation) => keyOf(operation) === name);
      return of ? each.map((row) => ({ of, row })) : [];
    });
  const url = () => server.api.url;
  const send = (caller: Pick<Caller, 'key'>, { of, row }: Sent, names: Names, own = names) =>
    sendRow({ url: url(), key: caller.key }, of, { row, names, own });

  beforeAll(async () => {
    server.fake.otherwise(playWorld);
    documented = await operationsOf(server);
    operations = [...documented, ...facadeOperations()];
    const users = ['chat', 'decide'] as const;
    const caller = async (name: string, user: string, scopes: readonly Scope[], of = tenant) => {
      const { key } = await make(user, scopes, of);
      return { name, key, scopes: withIncluded(scopes) };
    };
    const ann = await caller('the owner', 'ann', [...users, 'operate']);
    const ada = await caller('an admin', 'ada', ['admin', 'operate']);
    const ben = await caller('another user', 'ben', users);
    const eve = await caller('an admin of another tenant', 'ann', SCOPES, elsewhere);
    callers = { ann, ada, ben, eve };
    own = { ben: await worldOf(ben.key), eve: await worldOf(eve.key, { of: elsewhere }) };
    worlds = {
      private: await worldOf(ann.key, { word: 'canary' }),
      tenant: await worldOf(ann.key, { word: 'shared', visibility: 'tenant' }),
    };
    // One of her own would be in the lists of rules of the user of the same name.
    await server.api.bearing(eve.key).delete('/permissions/rules?scope=user');
    before = await readAll();
  });

  /** All that Ann can read of her private chats. */
  const readAll = async (): Promise<string[]> => {
    const texts = [];
    for (const { of, row } of rows())
      if (of.method === 'GET' && of.access?.includes('chat') && row.ids && !row.varies)
        for (const state of STATES)
          if (!(/\/(events|stream|join)$/.test(of.path) && state !== 'ended')) {
            const names = worlds.private[state];
            const { status, text } = await send(callers.ann, { of, row }, names);
            expect([of.name, row, state, status < 300]).toEqual([of.name, row, state, true]);
            texts.push(`${of.name} ${JSON.stringify(row)} ${text}`);
          }
    return texts;
  };

  it('is in the table: add new routes and parameters to access-matrix/table.ts', () => {
    expect(documented.map(({ name }) => name).toSorted()).toEqual(routesOf(server).toSorted());
    const known = Object.entries(TABLE).map(([name, each]) => [name, knownOf(each)]);
    const described = documented.map((of) => [
      keyOf(of),
      of.parameters.map(({ name }) => name).toSorted(),
    ]);
    expect(Object.fromEntries(described)).toEqual(Object.fromEntries(known));
  });

  it('of façades is in the table: add new ones to access-matrix/facade-table.ts', () => {
    const known = facadeOperations().map(({ name }) => name);
    expect(known.toSorted()).toEqual(facadeRoutesOf(server).toSorted());
  });

  it('shows each text to the owner', () => {
    const all = before.join('');
    expect(TEXTS.filter((text) => !all.includes(`canary-${text}`))).toEqual([]);
  });

  it.each([
    ['ben', 'private'],
    ['eve', 'private'],
    ['eve', 'tenant'],
  ] as const)('answers %s as if the chats of visibility %s did not exist', async (who, kind) => {
    const caller = callers[who];
    const faults = [];
    for (const { of, row } of rows())
      if (row.taken === undefined && !(row.forOperators && who === 'ben'))
        for (const state of row.ids ? STATES : (['waiting'] as const))
          for (const only of [undefined, ...singleIds(row, state)]) {
            const names = { own: own[who][row.on ?? 'waiting'], names: worlds[kind][state] };
            faults.push(await compare(url, { caller, of, row, only, ...names }));
          }
    expect(faults.flat()).toEqual([]);
  });

  it('shows a chat of visibility tenant to its users, who can not hide it', async () => {
    const names = worlds.tenant.ended;
    for (const { of, row } of rows().filter(
      ({ of: { method }, row: { ids } }) => method === 'GET' && ids,
    )) {
      if (!allows(callers.ben, of)) continue;
      const { status } = await send(callers.ben, { of, row }, names);
      const isDone = row.done === undefined ? status < 300 : status === row.done;
      expect([of.name, row, isDone]).toEqual([of.name, row, true]);
    }
    const api = server.api.bearing(callers.ben.key!);
    const reply = await api.patch(`/chats/${names['chat']}`, { visibility: 'private' });
    expect([reply.status, reply.body.type]).toEqual([403, '/problems/not_owner']);
  });

  it('is not opened by the ticket of a user who does not see it', async () => {
    const path = worlds.private.ended['events']!;
    const statuses = [];
    for (const { key = '' } of [callers.ben, callers.eve, callers.ann]) {
      const { body } = await server.api.bearing(key).post('/stream-tickets', { path });
      statuses.push((await server.api.get(`${path}?ticket=${body.ticket}`)).status);
    }
    expect(statuses).toEqual([404, 404, 200]);
  });

  it('needs its scope, and a credential, before anything is looked up', async () => {
    const without = new Map<string, Caller>();
    for (const access of new Set(operations.map((of) => String(of.access)))) {
      const scopes = SCOPES.filter((each) => !access.includes(each) && each !== 'admin');
      const { key } = await make('ann', scopes);
      without.set(access, { name: `the owner without ${access}`, key, scopes: new Set(scopes) });
    }
    const deleted = await make('ann', ['chat', 'decide']);
    await server.api.bearing(ADMIN_KEY).delete(`/keys/${deleted.id}`);
    const strangers = [
      { name: 'no credential', scopes: new Set<Scope>() },
      { name: 'a deleted key', key: deleted.key, scopes: new Set<Scope>() },
    ];
    const faults = [];
    for (const { of, row } of rows()) {
      if (of.access?.includes('public')) continue;
      const names = worlds.private[row.on ?? 'waiting'];
      for (const caller of [without.get(String(of.access))!, ...strangers])
        faults.push(await compare(url, { caller, of, row, own: names, names }));
    }
    expect(faults.flat()).toEqual([]);
  });

  it('needs no credential where it is public', async () => {
    for (const { of, row } of rows()) {
      if (!of.access?.includes('public')) continue;
      const { status } = await send({}, { of, row }, worlds.private[row.on ?? 'waiting']);
      expect([of.name, status]).toEqual([of.name, 200]);
    }
  });

  it('has changed nothing of the owner', async () => {
    expect(await readAll()).toEqual(before);
  });

  it('gives a chat whose id is taken to the other tenant, not to another user', async () => {
    const faults = [];
    for (const { of, row } of rows().filter(({ row: { taken } }) => taken !== undefined)) {
      // An id that was taken is theirs from then on.
      const names = (await worldOf(callers.ann.key!, { word: 'canary' })).ended;
      faults.push(await compare(url, { caller: callers.eve, of, row, own: names, names }));
      const reply = await send(callers.ben, { of, row }, names);
      const expected = allows(callers.ben, of) ? row.taken : 403;
      faults.push(shown(reply, Object.values(names), names));
      if (reply.status !== expected) faults.push([of.name, expected, reply]);
    }
    expect(faults.flat()).toEqual([]);
  });

  it.each(['ann', 'ada'] as const)('is done for %s', async (who) => {
    const caller = callers[who];
    const faults = [];
    const world = await worldOf(callers.ann.key!);
    for (const { of, row } of rows()) {
      const fresh = Math.random().toString(36).slice(2);
      const chat = row.taken !== undefined && { chat: `new-${fresh}` };
      const names = { ...world[row.on ?? 'waiting'], idempotency_key: fresh, ...chat };
      const { status, text } = await send(caller, { of, row }, names);
      const done = allows(caller, of) ? (row.done ?? '2xx') : 403;
      if (String(status).replace(/^2../, '2xx') !== String(done))
        faults.push(`${of.name} ${Object.keys(row.ids ?? {}).join()}: ${status} ${text}`);
    }
    expect(faults).toEqual([]);
  });
}

interface Made {
  readonly word?: string;
  readonly visibility?: Visibility;
  /** Its tenant. */
  readonly of?: string;
}

/** The chat that a façade deletes is needed until then. */
const byPlace = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  Number(DELETES.test(a)) - Number(DELETES.test(b));
const DELETES = /delete \/langgraph/;

const keyOf = ({ access, name }: Operation): string => `${access?.join(' or ')}: ${name}`;

/** Ids that are tried alone, beside the caller's own: by default in one state. */
function singleIds(row: Row, state: State): readonly string[] {
  return ALL || state === 'ended' ? Object.keys(row.ids ?? {}) : [];
}

function knownOf(rows: readonly Row[]): string[] {
  const names = rows.flatMap(({ ids, own, send, unsent }) => [
    ...[ids, own, send].flatMap((each) => Object.keys(each ?? {})),
    ...(unsent?.split(' ') ?? []),
  ]);
  return [...new Set(names)].toSorted();
}
