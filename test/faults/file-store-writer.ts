import { SystemClock } from '../../src/kernel/clock.js';
import { openFileStores } from '../../src/storage/file/file-stores.js';
import { wholeStore } from '../support/store/whole-store.js';
import type { StartOverrides } from '../contracts/interaction-store/fixtures.js';
import {
  at,
  endBatch,
  HELD,
  newBatch,
  newRequest,
  queued,
  started,
} from '../contracts/interaction-store/fixtures.js';

/**
 * A process of its own: lives through interactions as fast as it can, and prints what the store
 * said is saved, `<interaction> <last seq>` or `<request> settled`, until it is killed.
 */
const stores = await openFileStores({
  data_dir: process.argv[2]!,
  clock: new SystemClock(),
  report: () => undefined,
});
const store = wholeStore(stores);
const say = (line: string) => process.stdout.write(`${line}\n`);

/** How the next one waits for `id`. */
const WAYS: ((id: string) => StartOverrides)[] = [
  () => ({ on_conflict: 'enqueue' }),
  () => ({ on_conflict: 'interrupt' }),
  (id) => ({ on_conflict: 'interrupt', edited_from: id }),
];

async function live(chat_id: string): Promise<void> {
  let { id } = await started(store, { chat_id });
  for (let turn = 0; ; turn++) {
    say(`${id} 1`);
    const next = await queued(store, { chat_id, ...WAYS[turn % WAYS.length]!(id) });
    say(`${next.id} 0`);
    await run(id);
    ({ id } = next);
  }
}

async function run(id: string): Promise<void> {
  await store.acquireLease(id, HELD);
  for (let seq = 2; seq < 8; seq += 2) {
    const request = newRequest(seq);
    await store.append([newBatch(id, [seq, seq + 1], { requests: [request] })]);
    say(`${id} ${seq + 1}`);
    const settlement = {
      kind: 'input',
      answer: 'yes',
      by: { kind: 'user', user_id: 'ann' },
    } as const;
    const settle = { request_id: request.id, settlement, at: at(seq) };
    const { outcome } = await store.settleRequest(settle);
    // Of one that is being interrupted the requests are closed: the store says so and saves
    // nothing.
    if (outcome === 'settled') say(`${request.id} settled`);
  }
  await store.append([endBatch(id, 8)]);
  say(`${id} 8`);
}

await Promise.all(Array.from({ length: 8 }, (_, i) => live(`chat_${process.argv[3]}_${i}`)));
