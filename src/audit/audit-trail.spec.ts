import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MemoryAuditStore } from '../../test/support/store/memory-audit-store.js';
import { AuditTrail } from './audit-trail.js';

const ANN = { tenant_id: 'acme', user_id: 'ann' };

describe(AuditTrail.name, () => {
  let store: MemoryAuditStore;
  beforeEach(() => {
    store = new MemoryAuditStore();
  });
  afterEach(() => jest.restoreAllMocks());

  it('keeps who did what, when, with which key', async () => {
    const detail = { tool_name: 'bash' };
    await store.trail.note({ ...ANN, key_id: 'k1' }, 'approval.approved', {
      chat_id: 'c',
      interaction_id: 'i',
      detail,
    });
    expect(store.entries).toEqual([
      {
        id: expect.stringMatching(/^audit_/),
        at: expect.stringMatching(/Z$/),
        ...{ ...ANN, action: 'approval.approved', chat_id: 'c', interaction_id: 'i' },
        detail: { tool_name: 'bash', key_id: 'k1' },
      },
    ]);
  });

  it('leaves out what there is not', async () => {
    await store.trail.note(ANN, 'rule.removed');
    expect(Object.keys(store.entries[0]!)).toEqual([
      ...['id', 'at', 'tenant_id', 'user_id', 'action', 'detail'],
    ]);
  });

  it('keeps no detail that is too large', async () => {
    await store.trail.note(ANN, 'rule.added', { detail: { name: 'é'.repeat(1_000) } });
    await store.trail.note(ANN, 'rule.added', { detail: { name: 'é'.repeat(1_020) } });
    expect(store.entries.map(({ detail }) => Object.keys(detail))).toEqual([
      ['name'],
      ['too_large'],
    ]);
  });

  it('logs an entry that can’t be saved, and lets the action be', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    const err = new Error('disk full');
    jest.spyOn(store, 'add').mockRejectedValue(err);
    await store.trail.note(ANN, 'chat.deleted', { chat_id: 'c' });
    expect(logged.mock.calls).toMatchObject([
      [{ entry: { ...ANN, action: 'chat.deleted', chat_id: 'c' }, err }],
    ]);
  });

  it('gives pages of the caller’s tenant', async () => {
    const { trail } = store;
    for (const chat_id of ['1', '2', '3']) await trail.note(ANN, 'chat.created', { chat_id });
    await trail.note({ tenant_id: 'other', user_id: 'ann' }, 'chat.created', { chat_id: '4' });
    const first = await trail.list(ANN, { limit: 2 });
    expect(first.items.map(({ chat_id }) => chat_id)).toEqual(['3', '2']);
    const last = await trail.list(ANN, { limit: 2, cursor: first.next_cursor! });
    expect(last.items.map(({ chat_id }) => chat_id)).toEqual(['1']);
    expect(last.next_cursor).toBeNull();
    await expect(trail.list(ANN, { limit: 2, cursor: 'x' })).rejects.toThrow('next_cursor');
  });
});
