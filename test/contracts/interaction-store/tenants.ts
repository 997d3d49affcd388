import { randomUUID } from 'node:crypto';
import { ANY_TENANT } from '../../../src/persistence/any-tenant.js';
import type { InteractionRow } from '../../../src/persistence/rows/interaction-row.js';
import type { ChatRow } from '../../../src/persistence/rows/chat-rows.js';
import type { Viewer } from '../../../src/persistence/viewer.js';
import {
  at,
  chatId,
  ended,
  endBatch,
  HELD,
  interactionId,
  newBatch,
  newChat,
  newRequest,
  newStart,
  started,
} from './fixtures.js';
import type { StoreUnderTest } from './store-under-test.js';

const ann = (tenant_id: string): Viewer => ({ tenant_id, user_id: 'ann', is_admin: false });
const ben = (tenant_id: string): Viewer => ({ tenant_id, user_id: 'ben', is_admin: false });
const admin = (tenant_id: string): Viewer => ({ tenant_id, user_id: 'eve', is_admin: true });

export function describeTenants(tested: StoreUnderTest): void {
  describe('tenants', () => {
    describeOthers(tested);
    describeSameIds(tested);
    describeVisibility(tested);
  });
}

/** An interaction of `viewer` that asks something, and everything that names it. */
async function asking(tested: StoreUnderTest, viewer: Viewer) {
  const idempotency = { key: 'key', fingerprint: 'same' };
  const row = await started(tested.store, { viewer, lease: HELD, idempotency });
  const request = newRequest(2);
  await tested.store.append([newBatch(row.id, [2, 2], { requests: [request] })]);
  return { row, request, idempotency };
}

/** What the viewer gets by each id that a client may name. */
async function look(
  tested: StoreUnderTest,
  { row, request, idempotency }: Awaited<ReturnType<typeof asking>>,
  viewer: Viewer,
): Promise<unknown[]> {
  const { store } = tested;
  const { id, chat_id, chat_uid, agent_id } = row;
  return [
    await store.findChat(chat_id, viewer),
    (await store.listChats({ viewer, limit: 100 })).find(({ uid }) => uid === chat_uid),
    await store.findUsedKey(chat_id, idempotency, viewer),
    await store.findInteraction(id, viewer),
    await store.findInteractionOfAgent(agent_id, viewer),
    await store.findRequest(request.id, viewer),
    (await store.listRequests({ viewer, limit: 100 }))[0],
    (await store.listRequests({ viewer, chat_uid, limit: 100 }))[0],
    (await store.listRequests({ viewer, interaction_id: id, status: 'pending', limit: 100 }))[0],
  ];
}

const NOTHING = Array.from({ length: 9 }, () => undefined);
const SOMETHING = Array.from({ length: 9 }, () => expect.anything() as unknown);

function describeOthers(tested: StoreUnderTest): void {
  it('answers as if it were not there for another tenant, its admins included', async () => {
    const [own, other] = [randomUUID(), randomUUID()];
    const asked = await asking(tested, ann(own));
    expect(await look(tested, asked, ann(own))).toEqual(SOMETHING);
    expect(await look(tested, asked, admin(own))).toEqual(SOMETHING);
    for (const viewer of [ann(other), admin(other)])
      expect(await look(tested, asked, viewer)).toEqual(NOTHING);
    await tested.reopen();
    expect(await look(tested, asked, admin(other))).toEqual(NOTHING);
    expect(await look(tested, asked, ann(own))).toEqual(SOMETHING);
  });

  it('shows nothing to a viewer without a tenant or a user', async () => {
    const asked = await asking(tested, ann(randomUUID()));
    const { tenant_id } = asked.row;
    const nobody = { is_admin: true } as Viewer;
    const noUser = { tenant_id, is_admin: false } as Viewer;
    for (const viewer of [nobody, noUser])
      expect(await look(tested, asked, viewer)).toEqual(NOTHING);
  });

  it('changes nothing for another tenant', async () => {
    const { store } = tested;
    const { row, request } = await asking(tested, ann(randomUUID()));
    const tenant_id = randomUUID();
    const before = await store.findInteraction(row.id, ANY_TENANT);
    expect(await store.requestCancel({ id: row.id, tenant_id }, 'mine')).toBeUndefined();
    const by = { kind: 'user', user_id: 'ann' } as const;
    const settlement = { kind: 'input', answer: 'yes', by } as const;
    const settle = { request_id: request.id, settlement, at: at(9) };
    expect(await store.settleRequest({ ...settle, tenant_id })).toEqual({ outcome: 'unknown' });
    const note = { id: `note-${randomUUID()}`, interaction_id: row.id, agent_id: row.agent_id };
    const wanted = {
      ...note,
      user_comment: 'hi',
      user_content: null,
      redacted: null,
      created_at: at(9),
      created_by: 'ann',
    };
    expect(await store.intervene(wanted, tenant_id)).toEqual({ outcome: 'unknown' });
    expect(await store.findInteraction(row.id, ANY_TENANT)).toEqual(before);
    const error = { code: 'crash_loop', message: 'Lost.' };
    const end = { status: 'FAILED', error, completed_at: at(9), added_messages: [] } as const;
    await store.append([endBatch(row.id, 3, { end })]);
    const resumed = { type: 'RESUMED', attempt: 1, reason: 'retried' } as const;
    const retry = { interaction_id: row.id, codes: ['crash_loop'], resumed, at: at(10) };
    expect(await store.retryInteraction({ ...retry, tenant_id })).toBeUndefined();
    const own = await store.retryInteraction({ ...retry, tenant_id: row.tenant_id });
    expect(own).toMatchObject({ outcome: 'retried' });
  });
}

function describeSameIds(tested: StoreUnderTest): void {
  it('keeps chats of the same id apart: starts, lists, deletions', async () => {
    const { store } = tested;
    const [one, two] = [randomUUID(), randomUUID()];
    const chat_id = chatId();
    const first = await ended(store, 'one', { chat_id, viewer: ann(one) });
    const second = await started(store, { chat_id, viewer: ann(two) });
    expect(second).toMatchObject({ parent_id: null, tenant_id: two, started_by: 'ann' });
    expect(second.chat_uid).not.toBe(first.chat_uid);
    const uids = async (viewer: Viewer) =>
      (await store.listChats({ viewer, limit: 10 })).map(({ uid }) => uid);
    expect(await uids(ann(one))).toEqual([first.chat_uid]);
    expect(await uids(ann(two))).toEqual([second.chat_uid]);
    expect(
      await store.createChat(newChat({ id: chat_id, uid: randomUUID(), tenant_id: one })),
    ).toBe(false);
    expect(await store.deleteChat(first.chat_uid)).toBe('deleted');
    expect(await store.findChat(chat_id, ann(one))).toBeUndefined();
    expect(await store.findInteraction(second.id, ann(two))).toEqual(second);
  });

  it('edits nothing of another tenant’s chat of the same id', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    const first = await ended(tested.store, 'one', { viewer: ann(one) });
    const { chat_id } = first;
    await ended(tested.store, 'two', { chat_id, viewer: ann(two) });
    const edit = { chat_id, viewer: ann(two), edited_from: first.id, id: interactionId() };
    expect(await tested.store.startInteraction(newStart(edit))).toEqual({
      outcome: 'unknown_edit',
    });
  });

  it('lets a chat that is created again inherit nothing', async () => {
    const { store } = tested;
    const viewer = ann(randomUUID());
    const idempotency = { key: 'k', fingerprint: 'f' };
    const old = await ended(store, 'one', { viewer, idempotency });
    await store.deleteChat(old.chat_uid);
    const { chat_id } = old;
    const again = await started(store, { chat_id, chat_uid: randomUUID(), viewer, idempotency });
    expect(again.chat_uid).not.toBe(old.chat_uid);
    expect(again.parent_id).toBeNull();
    expect(await store.findChatByUid(old.chat_uid)).toBeUndefined();
    expect((await store.findChatByUid(again.chat_uid))?.id).toBe(chat_id);
    await tested.reopen();
    expect(await tested.store.findChat(chat_id, viewer)).toMatchObject({ uid: again.chat_uid });
  });
}

function describeVisibility(tested: StoreUnderTest): void {
  it('hides a private chat from others of the tenant, but not from admins', async () => {
    const tenant = randomUUID();
    const asked = await asking(tested, ann(tenant));
    expect(await look(tested, asked, ben(tenant))).toEqual(NOTHING);
    expect(await look(tested, asked, admin(tenant))).toEqual(SOMETHING);
    const { chat_uid } = asked.row;
    const shared = { visibility: 'tenant', updated_at: at(5) } as const;
    expect(await tested.store.updateChat(chat_uid, shared)).toMatchObject(shared);
    expect(await look(tested, asked, ben(tenant))).toEqual(SOMETHING);
    expect(await look(tested, asked, admin(randomUUID()))).toEqual(NOTHING);
    await tested.reopen();
    expect(await look(tested, asked, ben(tenant))).toEqual(SOMETHING);
  });

  it('starts and edits nothing in a private chat of another user', async () => {
    const { store } = tested;
    const tenant = randomUUID();
    const idempotency = { key: 'k', fingerprint: 'f' };
    const first = await ended(store, 'one', { viewer: ann(tenant), idempotency });
    const { chat_id } = first;
    const start = (viewer: Viewer, more: object = {}) =>
      store.startInteraction(newStart({ chat_id, viewer, ...more }));
    for (const more of [{}, { edited_from: first.id }, { idempotency }])
      expect(await start(ben(tenant), more)).toEqual({ outcome: 'hidden' });
    expect(await start(admin(tenant))).toMatchObject({
      outcome: 'started',
      interaction: { chat_uid: first.chat_uid, started_by: 'eve' },
    });
    expect((await store.findChat(chat_id, ann(tenant)))?.owner).toBe('ann');
  });

  it('fills its pages with what the viewer sees', async () => {
    const { store } = tested;
    const tenant_id = randomUUID();
    const made: ChatRow[] = [];
    for (const [n, owner] of ['ann', 'ben', 'ben', 'ann', 'ben', 'ann'].entries()) {
      const visibility = n === 2 ? 'tenant' : 'private';
      const chat = newChat({ uid: randomUUID(), tenant_id, owner, visibility, created_at: at(n) });
      await store.createChat(chat);
      made.unshift((await store.findChatByUid(chat.uid))!);
    }
    const pages = async (viewer: Viewer) => {
      const seen: ChatRow[] = [];
      for (;;) {
        const last = seen.at(-1);
        const before = last && { at: last.created_at, id: last.id };
        const page = await store.listChats({ viewer, limit: 2, ...(before && { before }) });
        seen.push(...page);
        if (page.length < 2) return seen;
      }
    };
    const seenBy = (user: string) =>
      made.filter(({ owner, visibility }) => owner === user || visibility === 'tenant');
    expect(await pages(ann(tenant_id))).toEqual(seenBy('ann'));
    expect(await pages(ben(tenant_id))).toEqual(seenBy('ben'));
    expect(await pages(admin(tenant_id))).toEqual(made);
    const rows: InteractionRow[] = [];
    for (const { id, owner } of made) {
      const viewer = owner === 'ann' ? ann(tenant_id) : ben(tenant_id);
      const row = await started(store, { chat_id: id, viewer, lease: HELD });
      await store.append([newBatch(row.id, [2, 2], { requests: [newRequest(2)] })]);
      rows.push(row);
    }
    const requests = await store.listRequests({ viewer: ann(tenant_id), limit: 4 });
    const ofAnn = new Set(seenBy('ann').map(({ uid }) => uid));
    expect(new Set(requests.map(({ chat_uid }) => chat_uid))).toEqual(ofAnn);
  });
}
