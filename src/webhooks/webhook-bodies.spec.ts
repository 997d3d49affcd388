import { NoTracer } from '../tracing/tracer.js';
import {
  endBatch,
  HELD,
  newBatch,
  newEnd,
  newRecord,
  newRequest,
  started,
} from '../../test/contracts/interaction-store/fixtures.js';
import { wholeStore } from '../../test/support/store/whole-store.js';
import { openMemoryStores } from '../storage/memory/memory-stores.js';
import { WebhookBodies } from './webhook-bodies.js';

const LARGE = 'ä'.repeat(200_000);

describe(WebhookBodies.name, () => {
  const stores = openMemoryStores();
  const store = wholeStore(stores);
  const { interactions, requests, records } = stores;
  const bodies = new WebhookBodies(interactions, requests, records, new NoTracer());
  const begin = () => started(store, { lease: HELD });
  const read = async (type: 'request_opened' | 'interaction_complete', id: string, of: string) => {
    const webhook = { id, type, interaction_id: of, created_at: '2026-01-15T10:00:00.000Z' };
    const text = await bodies.read(webhook);
    return text === undefined ? undefined : { text, body: JSON.parse(text) };
  };

  it.each([
    ['as it is', 'It is 42.', { answer: 'It is 42.' }],
    ['left out if it is too large', LARGE, { answer: null, cut: true }],
  ])('have the answer %s', async (_, content, shown) => {
    const { id } = await begin();
    const body = { type: 'ANSWER', block_id: 'b2', content } as const;
    await store.append([{ ...newBatch(id, [2, 2]), records: [newRecord(id, 2, { body })] }]);
    await store.append([endBatch(id, 3)]);
    const sent = await read('interaction_complete', `${id}.3`, id);
    expect(sent!.body.interaction).toMatchObject({ id, status: 'COMPLETED', ...shown });
    expect('cut' in sent!.body.interaction).toBe('cut' in shown);
    expect(Buffer.byteLength(sent!.text)).toBeLessThan(262_144);
  });

  it('have a large request without the fields of its event', async () => {
    const { id } = await begin();
    const small = newRequest(2);
    const large = newRequest(3, { event: { type: 'INPUT_REQUIRED', question: LARGE } });
    await store.append([newBatch(id, [2, 3], { requests: [small, large] })]);
    const sent = await read('request_opened', small.id, id);
    expect(sent!.body).toMatchObject({ interaction_id: id, request: { question: 'Question 2?' } });
    const cut = await read('request_opened', large.id, id);
    expect(cut!.body.request).toMatchObject({ id: large.id, status: 'pending', cut: true });
    expect(cut!.text.length).toBeLessThan(1000);
  });

  it('are none of what is gone, or goes on', async () => {
    const { id, chat_uid, tenant_id } = await begin();
    const error = { code: 'crash_loop', message: 'Lost.' };
    await store.append([endBatch(id, 2, { end: newEnd('x', { status: 'FAILED', error }) })]);
    expect(await read('interaction_complete', `${id}.2`, id)).toBeDefined();
    const resumed = { type: 'RESUMED', attempt: 1, reason: 'retried' } as const;
    const retry = { interaction_id: id, tenant_id, codes: ['crash_loop'], resumed };
    const at = '2026-01-15T11:00:00.000Z';
    expect(await store.retryInteraction({ ...retry, at })).toMatchObject({ outcome: 'retried' });
    expect(await read('interaction_complete', `${id}.2`, id)).toBeUndefined();
    await store.append([endBatch(id, 4, { epoch: 2 })]);
    await store.deleteChat(chat_uid);
    expect(await read('interaction_complete', `${id}.4`, id)).toBeUndefined();
    expect(await read('request_opened', 'input_unknown', id)).toBeUndefined();
  });
});
