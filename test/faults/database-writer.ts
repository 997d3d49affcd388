import { openDatabase } from '../../src/storage/typeorm/connection/open-database.js';
import { createStores } from '../../src/storage/typeorm/create-stores.js';
import { newBatch, newRecord, newStart } from '../contracts/interaction-store/fixtures.js';

/**
 * A process of its own: starts an interaction and appends to it until it is killed. It sends its
 * parent each seq that is saved.
 */
const [dataDir, id] = process.argv.slice(2) as [string, string];
const stores = createStores(await openDatabase({ dataDir, migrate: true }));
await stores.interactions.startInteraction(newStart({ id, lease: { owner: 'writer', ttl_ms: 1 } }));
for (let seq = 2; ; seq++) {
  const body = { type: 'MESSAGE', block_id: 'b', content: String(seq).repeat(500) } as const;
  const batch = { ...newBatch(id, [seq, seq]), records: [newRecord(id, seq, { body })] };
  await stores.records.append([batch]);
  process.send!(seq);
}
