import { uidOf } from '../../support/store/chat-parts.js';
import type { Json } from '../../../src/protocol/json.js';
import type {
  NewRequest,
  RequestRow,
  Settlement,
} from '../../../src/persistence/rows/request-rows.js';
import type { InteractionRow } from '../../../src/persistence/rows/interaction-row.js';
import {
  acquireOnceFree,
  at,
  chatId,
  ended,
  endBatch,
  HELD,
  interactionId,
  LAPSING,
  newBatch,
  newEnd,
  newRequest,
  queued,
  readAll,
  started,
} from './fixtures.js';
import type { StoreUnderTest } from './store-under-test.js';

const APPROVED = {
  kind: 'approval',
  approved: true,
  by: { kind: 'user', user_id: 'ann' },
} as const;
const TIMED_OUT = {
  kind: 'approval',
  approved: false,
  by: { kind: 'system' },
  cause: 'timeout',
} as const;
const HOSTILE = `NUL \u0000, high \ud800, low \udc00, lines \u2028\u2029\r\n, "\\", \u007f, 🦜`;

export function describeRequests(tested: StoreUnderTest): void {
  describe('requests', () => {
    it('are there with the records that tell of them', async () => {
      const row = await started(tested.store, { lease: HELD });
      const request = newApproval({ expires_at: at(500) });
      const other = newApproval({ kind: 'input' });
      const batch = newBatch(row.id, [2, 3], { requests: [request, other] });
      expect(await tested.store.append([batch])).toEqual(['written']);
      for (const each of [request, other])
        expect(await tested.store.findRequest(each.id)).toEqual(pending(each, row));
      expect(await tested.store.findRequest(interactionId())).toBeUndefined();
      await tested.reopen();
      expect(await tested.store.findRequest(request.id)).toEqual(pending(request, row));
    });

    it('are listed up to a number of bytes', async () => {
      const row = await started(tested.store, { lease: HELD });
      const requests = [10, 20_000, 20_000, 10].map((length, n) =>
        newRequest(n + 10, { event: { question: 'x'.repeat(length) } }),
      );
      await tested.store.append([newBatch(row.id, [2, 2], { requests })]);
      const [, second] = requests;
      const settlement = {
        kind: 'input',
        answer: 'y'.repeat(20_000),
        by: { kind: 'user', user_id: 'ann' },
      } as const;
      await tested.store.settleRequest({ request_id: second!.id, settlement, at: at(50) });
      for (const end of [[], [endBatch(row.id, 3)]]) {
        await tested.store.append(end);
        const page = async (bytes: number) =>
          (await tested.store.listRequests({ interaction_id: row.id, limit: 4, bytes })).length;
        expect(await page(1_000_000)).toBe(4);
        expect(await page(50_000)).toBe(3);
        expect(await page(30_000)).toBe(2);
        expect(await page(0)).toBe(1);
      }
      const closed = await list(tested, { interaction_id: row.id, status: 'closed' });
      expect(closed.map(({ id }) => id)).toEqual([0, 2, 3].map((n) => requests[n]!.id));
    });

    it('come with a group, each to its own interaction', async () => {
      const rows = await Promise.all(
        Array.from({ length: 6 }, () => started(tested.store, { lease: HELD })),
      );
      const requests = rows.map((_, i) => (i % 2 ? [newApproval(), newApproval()] : []));
      const batches = rows.map(({ id }, i) => newBatch(id, [2, 2], { requests: requests[i]! }));
      expect(new Set(await tested.store.append(batches))).toEqual(new Set(['written']));
      for (const [i, row] of rows.entries()) {
        const listed = await list(tested, { interaction_id: row.id });
        const expected = requests[i]!.map((request) => pending(request, row));
        expect(listed).toEqual(byAge(expected));
      }
    });

    it('are counted by kind, those of all tenants, up to a limit', async () => {
      const count = async (limit = 1_000) => {
        const found = await tested.store.countPendingRequests(limit);
        return new Map(found.map((each) => [each.kind, each]));
      };
      const before = (await count()).get('tool')?.count ?? 0;
      const row = await started(tested.store, { lease: HELD });
      const ancient = new Date(86_400_000).toISOString();
      const requests = [
        newApproval({ kind: 'tool', created_at: ancient }),
        newApproval({ kind: 'tool' }),
      ];
      await tested.store.append([newBatch(row.id, [2, 2], { requests })]);
      expect((await count()).get('tool')).toEqual({
        ...{ kind: 'tool', count: before + 2, oldest: ancient },
      });
      const few = [...(await count(1)).values()];
      expect(few.map((each) => each.count)).toEqual([1]);
      await tested.store.append([endBatch(row.id, 3)]);
      expect((await count()).get('tool')?.count ?? 0).toBe(before);
    });

    it('stay as they are when their step comes to them again', async () => {
      const row = await started(tested.store, { lease: HELD });
      const request = newApproval();
      const again = newApproval({ key: request.key, event: { again: true } });
      const batch = newBatch(row.id, [2, 2], { requests: [request] });
      await tested.store.append([batch]);
      expect(await tested.store.append([batch])).toEqual(['written']);
      await tested.store.append([newBatch(row.id, [3, 3], { requests: [again] })]);
      await tested.store.append([newBatch(row.id, [3, 4], { requests: [request, again] })]);
      expect(await list(tested, { interaction_id: row.id })).toEqual([pending(request, row)]);
      expect(await tested.store.findRequest(again.id)).toBeUndefined();
      await tested.store.settleRequest(settle(request.id, APPROVED));
      await tested.store.append([newBatch(row.id, [5, 5], { requests: [request] })]);
      expect((await tested.store.findRequest(request.id))?.status).toBe('settled');
    });

    it('may share a key with those of other interactions', async () => {
      const request = newApproval();
      const other = newApproval({ key: request.key });
      for (const each of [request, other]) {
        const row = await started(tested.store, { lease: HELD });
        await tested.store.append([newBatch(row.id, [2, 2], { requests: [each] })]);
        expect(await tested.store.findRequest(each.id)).toEqual(pending(each, row));
      }
    });

    it('are not made by a run that has lost its lease (I6)', async () => {
      const row = await started(tested.store, { lease: LAPSING });
      await acquireOnceFree(tested.store, row.id);
      const request = newApproval();
      const batch = newBatch(row.id, [2, 2], { requests: [request] });
      expect(await tested.store.append([batch])).toEqual(['fenced']);
      expect(await tested.store.findRequest(request.id)).toBeUndefined();
      const again = { ...batch, ...newBatch(row.id, [2, 2], { epoch: 2 }) };
      expect(await tested.store.append([again])).toEqual(['written']);
      expect(await tested.store.findRequest(request.id)).toEqual(pending(request, row));
    });

    it('give back exactly what was written, whatever the characters', async () => {
      const event: Json = { zeta: HOSTILE, alpha: [HOSTILE, { [HOSTILE]: null }], '': 1e21 };
      const { request } = await asked(tested, { event });
      const modified_input = { z: HOSTILE, a: 0.1 };
      const settlement: Settlement = { ...APPROVED, reason: HOSTILE, modified_input };
      await tested.store.settleRequest(settle(request.id, settlement));
      await tested.reopen();
      const row = await tested.store.findRequest(request.id);
      expect(JSON.stringify(row?.event)).toBe(JSON.stringify(event));
      expect(row?.settlement).toEqual(settlement);
      expect(JSON.stringify(row?.settlement)).toBe(JSON.stringify(settlement));
    });

    it('go with their chat', async () => {
      const { row, request } = await asked(tested);
      await tested.store.append([endBatch(row.id, 3)]);
      expect(await tested.store.deleteChat(uidOf(row.chat_id))).toBe('deleted');
      expect(await tested.store.findRequest(request.id)).toBeUndefined();
      expect(await list(tested, { chat_uid: row.chat_uid })).toEqual([]);
      const late = await tested.store.settleRequest(settle(request.id, APPROVED));
      expect(late).toEqual({ outcome: 'unknown' });
    });

    describeSettling(tested);
    describeExpiry(tested);
    describeClosing(tested);
    describeInbox(tested);
  });
}

function describeSettling(tested: StoreUnderTest): void {
  const settlements: Settlement[] = [
    {
      kind: 'approval',
      approved: false,
      by: { kind: 'system' },
      cause: 'timeout',
      reason: 'Not on a Friday.',
    },
    { kind: 'input', answer: 'blue', by: { kind: 'user', user_id: 'ann' } },
    { kind: 'input', answer: null, by: { kind: 'user', user_id: 'ann' } },
    { kind: 'tool', tool_output: '42', is_error: false, by: { kind: 'user', user_id: 'ann' } },
  ];

  it.each(settlements)('are settled: %j', async (settlement) => {
    const { row, request } = await asked(tested, { kind: settlement.kind });
    const outcome = await tested.store.settleRequest(settle(request.id, settlement, at(70)));
    const interaction = { ...row, signals: row.signals + 1 };
    expect(outcome).toEqual({ outcome: 'settled', interaction });
    expect(await tested.store.findInteraction(row.id)).toEqual(interaction);
    const settled = { ...request, status: 'settled', settlement, settled_at: at(70) };
    expect(await tested.store.findRequest(request.id)).toEqual(settled);
    await tested.reopen();
    expect(await tested.store.findRequest(request.id)).toEqual(settled);
  });

  it('are settled once, and keep the first settlement (I5)', async () => {
    const { row, request } = await asked(tested);
    await tested.store.settleRequest(settle(request.id, APPROVED, at(70)));
    for (const late of [APPROVED, TIMED_OUT]) {
      const outcome = await tested.store.settleRequest(settle(request.id, late, at(71)));
      expect(outcome).toEqual({ outcome: 'settled_before' });
    }
    const first = { settlement: APPROVED, settled_at: at(70) };
    expect(await tested.store.findRequest(request.id)).toMatchObject(first);
    expect((await tested.store.findInteraction(row.id))?.signals).toBe(1);
  });

  it('are not settled as another kind, nor if they are not there', async () => {
    const { request } = await asked(tested, { kind: 'input' });
    const unknown = { outcome: 'unknown' };
    expect(await tested.store.settleRequest(settle(request.id, APPROVED))).toEqual(unknown);
    expect(await tested.store.settleRequest(settle(interactionId(), APPROVED))).toEqual(unknown);
    expect((await tested.store.findRequest(request.id))?.status).toBe('pending');
    await tested.store.settleRequest(settle(request.id, settlements[1]!));
    expect(await tested.store.settleRequest(settle(request.id, APPROVED))).toEqual(unknown);
  });

  it('are settled by one of many, each counting one signal (I5)', async () => {
    const row = await started(tested.store, { lease: HELD });
    const requests = Array.from({ length: 50 }, () => newApproval());
    await tested.store.append([newBatch(row.id, [2, 2], { requests })]);
    const settling = [true, false].flatMap((approved) =>
      requests.map(({ id }) => tested.store.settleRequest(settle(id, { ...APPROVED, approved }))),
    );
    const outcomes = (await Promise.all(settling)).map(({ outcome }) => outcome);
    requests.forEach((_, i) => {
      const both = new Set([outcomes[i], outcomes[i + 50]]);
      expect(both).toEqual(new Set(['settled', 'settled_before']));
    });
    expect((await tested.store.findInteraction(row.id))?.signals).toBe(50);
  });

  it('are closed as soon as their interaction is to be cancelled (I5)', async () => {
    const { row, request } = await asked(tested);
    await tested.store.requestCancel(row.id, 'user');
    const late = await tested.store.settleRequest(settle(request.id, APPROVED));
    expect(late).toEqual({ outcome: 'settled_before' });
  });

  it('do not disturb the run that waits for them', async () => {
    const { row, request } = await asked(tested);
    const settling = tested.store.settleRequest(settle(request.id, APPROVED));
    for (let seq = 3; seq < 20; seq++)
      expect(await tested.store.append([newBatch(row.id, [seq, seq])])).toEqual(['written']);
    expect(await settling).toMatchObject({ outcome: 'settled' });
    expect(await tested.store.findInteraction(row.id)).toMatchObject({ signals: 1, last_seq: 19 });
  });
}

function describeExpiry(tested: StoreUnderTest): void {
  const answers: { answer: Settlement; timeout: Settlement }[] = [
    { answer: APPROVED, timeout: TIMED_OUT },
    {
      answer: { kind: 'input', answer: 'blue', by: { kind: 'user', user_id: 'ann' } },
      timeout: { kind: 'input', answer: null, by: { kind: 'system' }, cause: 'timeout' },
    },
    {
      answer: {
        kind: 'tool',
        tool_output: '42',
        is_error: false,
        by: { kind: 'user', user_id: 'ann' },
      },
      timeout: {
        kind: 'tool',
        tool_output: 'Late.',
        is_error: true,
        by: { kind: 'system' },
        cause: 'timeout',
      },
    },
  ];

  it.each(answers)(
    'are not settled once their time is over, but by the timeout: $timeout.kind',
    async ({ answer, timeout }) => {
      const { kind } = timeout;
      const { row, request } = await asked(tested, { kind, expires_at: at(100) });
      for (const when of [at(100), at(101)]) {
        const late = await tested.store.settleRequest(settle(request.id, answer, when));
        expect(late).toEqual({ outcome: 'expired' });
      }
      expect(await tested.store.findRequest(request.id)).toEqual(request);
      expect((await tested.store.findInteraction(row.id))?.signals).toBe(0);
      const outcome = await tested.store.settleRequest(settle(request.id, timeout, at(102)));
      expect(outcome).toMatchObject({ outcome: 'settled', interaction: { signals: 1 } });
      const again = await tested.store.settleRequest(settle(request.id, answer, at(103)));
      expect(again).toEqual({ outcome: 'settled_before' });
    },
  );

  it('are settled late where that is accepted', async () => {
    const { request } = await asked(tested, { expires_at: at(100) });
    const late = { ...settle(request.id, APPROVED, at(101)), accept_expired: true };
    expect(await tested.store.settleRequest(late)).toMatchObject({ outcome: 'settled' });
  });

  it('are settled until then', async () => {
    const { request } = await asked(tested, { expires_at: at(100) });
    const justInTime = new Date(Date.parse(at(100)) - 1).toISOString();
    const outcome = await tested.store.settleRequest(settle(request.id, APPROVED, justInTime));
    expect(outcome.outcome).toBe('settled');
  });

  it('are listed as expired while they are pending, the earliest first', async () => {
    const past = (year: number) => `${year}-01-01T00:00:00.000Z`;
    const row = await started(tested.store, { lease: HELD });
    const [late, never, early, settled, open] = [1971, null, 1970, 1972, 1999].map((year) =>
      newApproval({ expires_at: year === null ? null : past(year) }),
    );
    const requests = [late!, never!, early!, settled!, open!];
    await tested.store.append([newBatch(row.id, [2, 2], { requests })]);
    await tested.store.settleRequest(settle(settled!.id, TIMED_OUT));
    const expired = (limit: number) => tested.store.listExpiredRequests(past(1972), limit);
    expect(await expired(10)).toEqual([pending(early!, row), pending(late!, row)]);
    expect((await expired(1)).map(({ id }) => id)).toEqual([early!.id]);
    expect(await tested.store.listExpiredRequests(past(1969), 10)).toEqual([]);
    expect((await tested.store.listExpiredRequests(past(1970), 10)).length).toBe(1);
    await tested.store.append([endBatch(row.id, 3)]);
    expect(await expired(10)).toEqual([]);
  });
}

function describeClosing(tested: StoreUnderTest): void {
  it('are closed by the end of their interaction, but keep their settlements', async () => {
    const row = await started(tested.store, { lease: HELD });
    const [open, done] = [newApproval(), newApproval()];
    await tested.store.append([newBatch(row.id, [2, 2], { requests: [open, done] })]);
    await tested.store.settleRequest(settle(done.id, APPROVED, at(60)));
    await tested.store.append([
      endBatch(row.id, 3, { end: newEnd('x', { completed_at: at(80) }) }),
    ]);
    const closed = { ...pending(open, row), status: 'closed', settled_at: at(80) };
    expect(await tested.store.findRequest(open.id)).toEqual(closed);
    const kept = { status: 'settled', settlement: APPROVED, settled_at: at(60) };
    expect(await tested.store.findRequest(done.id)).toMatchObject(kept);
    const late = await tested.store.settleRequest(settle(open.id, APPROVED, at(81)));
    expect(late).toEqual({ outcome: 'settled_before' });
    expect((await tested.store.findInteraction(row.id))?.signals).toBe(1);
    await tested.reopen();
    expect(await tested.store.findRequest(open.id)).toEqual(closed);
  });

  it('are closed with the append that made them, if that ends the interaction', async () => {
    const row = await started(tested.store, { lease: HELD });
    const request = newApproval();
    const end = newEnd('x', { completed_at: at(80) });
    const batch = newBatch(row.id, [2, 3], { requests: [request], end });
    expect(await tested.store.append([batch])).toEqual(['written']);
    expect((await tested.store.findRequest(request.id))?.status).toBe('closed');
  });

  it('stay open when a neighbour in the group ends, and when an end is fenced off', async () => {
    const [ends, stays] = [await asked(tested), await asked(tested)];
    const batches = [endBatch(ends.row.id, 3), newBatch(stays.row.id, [3, 3])];
    expect(await tested.store.append(batches)).toEqual(['written', 'written']);
    expect(await tested.store.append([endBatch(stays.row.id, 4, { epoch: 0 })])).toEqual([
      'fenced',
    ]);
    expect(await tested.store.findRequest(stays.request.id)).toEqual(stays.request);
    expect((await tested.store.findRequest(ends.request.id))?.status).toBe('closed');
  });

  it('are settled or closed, never both, when the end races the decision', async () => {
    for (let i = 0; i < 20; i++) {
      const { row, request } = await asked(tested);
      const [outcome] = await Promise.all([
        tested.store.settleRequest(settle(request.id, APPROVED)),
        tested.store.append([endBatch(row.id, 3)]),
      ]);
      const status = outcome.outcome === 'settled' ? 'settled' : 'closed';
      expect((await tested.store.findRequest(request.id))?.status).toBe(status);
      const signals = status === 'settled' ? 1 : 0;
      expect((await tested.store.findInteraction(row.id))?.signals).toBe(signals);
      expect(await readAll(tested.store, row.id)).toHaveLength(3);
    }
  });
}

function describeInbox(tested: StoreUnderTest): void {
  it('are listed by chat, interaction and status, oldest first', async () => {
    const first = await ended(tested.store, 'one');
    const { chat_id, chat_uid } = first;
    const second = await started(tested.store, { chat_id, lease: HELD });
    await queued(tested.store, { chat_id });
    const requests = [5, 3, 3, 4].map((second) => newApproval({ created_at: at(second) }));
    await tested.store.append([newBatch(second.id, [2, 2], { requests })]);
    await tested.store.settleRequest(settle(requests[0]!.id, APPROVED));
    const { row: elsewhere } = await asked(tested);

    const order = [...byAge(requests.slice(1)), requests[0]!].map(({ id }) => id);
    const ids = async (page: object) => (await list(tested, page)).map(({ id }) => id);
    expect(await ids({ chat_uid })).toEqual(order);
    expect(await ids({ interaction_id: second.id })).toEqual(order);
    expect(await ids({ chat_uid, status: 'pending' })).toEqual(order.slice(0, 3));
    expect(await ids({ chat_uid, status: 'settled' })).toEqual(order.slice(3));
    expect(await ids({ chat_uid, status: 'closed' })).toEqual([]);
    expect(await ids({ interaction_id: first.id })).toEqual([]);
    expect(await ids({ chat_uid, interaction_id: elsewhere.id })).toEqual([]);
    expect(await ids({ chat_uid: uidOf(chatId()) })).toEqual([]);
  });

  it('are listed over all chats, page by page, each once', async () => {
    const wanted: NewRequest[] = [];
    for (let i = 0; i < 5; i++) {
      const created_at = i < 3 ? '1960-01-01T00:00:00.000Z' : '1961-01-01T00:00:00.000Z';
      wanted.push((await asked(tested, { created_at })).request);
    }
    const seen: RequestRow[] = [];
    while (seen.length < 5) {
      const after = seen.at(-1);
      const page = { status: 'pending', limit: 2, ...(after && { after }) } as const;
      seen.push(...(await tested.store.listRequests(page)));
    }
    expect(seen.slice(0, 5)).toEqual(byAge(wanted));
  });
}

let keys = 0;

/** An approval, unless `overrides` says otherwise, of a step of its own. */
function newApproval(overrides: Partial<NewRequest> = {}): NewRequest {
  return newRequest(2, { kind: 'approval', key: `root/${++keys}`, ...overrides });
}

/** An interaction that runs, and waits for one request. */
async function asked(
  tested: StoreUnderTest,
  overrides: Partial<NewRequest> = {},
): Promise<{ row: InteractionRow; request: RequestRow }> {
  const row = await started(tested.store, { lease: HELD });
  const request = newApproval(overrides);
  await tested.store.append([newBatch(row.id, [2, 2], { requests: [request] })]);
  return { row: { ...row, last_seq: 2 }, request: pending(request, row) };
}

function pending(request: NewRequest, row: InteractionRow): RequestRow {
  const { id: interaction_id, chat_id, chat_uid, tenant_id } = row;
  const open = { status: 'pending', settlement: null, settled_at: null } as const;
  return { ...request, interaction_id, chat_id, chat_uid, tenant_id, ...open };
}

function settle(request_id: string, settlement: Settlement, when = at(50)) {
  return { request_id, settlement, at: when };
}

function list(tested: StoreUnderTest, page: object): Promise<RequestRow[]> {
  return tested.store.listRequests({ limit: 99, ...page });
}

const age = ({ created_at, id }: NewRequest) => `${created_at} ${id}`;

function byAge<R extends NewRequest>(requests: readonly R[]): R[] {
  return requests.toSorted((a, b) => (age(a) < age(b) ? -1 : 1));
}
