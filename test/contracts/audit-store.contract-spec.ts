import { appendFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditEntry } from '../../src/audit/audit-entry.js';
import { SystemClock } from '../../src/kernel/clock.js';
import { FileAuditStore } from '../../src/storage/file/file-audit-store.js';
import { openFileStores } from '../../src/storage/file/file-stores.js';
import type { StorageProblem } from '../../src/storage/file/report-problem.js';
import { TypeOrmAuditStore } from '../../src/storage/typeorm/stores/typeorm-audit-store.js';
import { STORES } from '../e2e/stores.js';
import { auditStoreContract } from './audit-store.contract.js';
import { newStart } from './interaction-store/fixtures.js';
import { skipContract } from '../support/skip-contract.js';

const entry: AuditEntry = {
  ...{ id: 'audit_1', at: '2026-01-01T00:00:00.000Z', tenant_id: 't', user_id: 'ann' },
  ...{ action: 'chat.created', detail: {} },
};

for (const kind of STORES) {
  const { name, fault } = kind;
  const store = name === 'files' ? FileAuditStore : TypeOrmAuditStore;
  const title = `${store.name} on ${name}`;
  if (fault) skipContract(title, fault);
  else
    auditStoreContract(title, async () => {
      const opened = await kind.open();
      return {
        get audit() {
          return opened.stores.audit;
        },
        get interactions() {
          return opened.stores.interactions;
        },
        reopen: () => opened.reopen(),
        close: () => opened.close(),
      };
    });
}

for (const kind of STORES.filter(({ name }) => name !== 'files')) {
  const title = `${TypeOrmAuditStore.name} on ${kind.name} in a start`;
  if (kind.fault) skipContract(title, kind.fault);
  else
    describe(title, () => {
      it('saves neither the chat nor its entry without the other', async () => {
        const opened = await kind.open();
        const { audit, chats, interactions } = opened.stores;
        const start = newStart();
        const { uid } = start.chat;
        await audit.add(entry);
        const refused = interactions.startInteraction({ ...start, audit: entry });
        await expect(refused).rejects.toThrow('refused a statement');
        expect(await interactions.findActiveInteraction(uid)).toBeUndefined();
        expect(await chats.findChatByUid(uid)).toBeUndefined();
        await opened.close();
      });
    });
}

describe(`${FileAuditStore.name} after a kill or a fault`, () => {
  const fail = (): never => {
    throw new Error('There is nothing to report.');
  };

  it('drops the entry that was not written whole, and goes on after the others', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-audit-'));
    const path = join(folder, 'audit.jsonl');
    await (await FileAuditStore.open(folder, fail)).add(entry);
    await appendFile(path, JSON.stringify({ ...entry, id: 'audit_cut' }).slice(0, -3));
    const store = await FileAuditStore.open(folder, fail);
    expect(await store.list({ tenant_id: 't', limit: 9 })).toEqual([entry]);
    const next = { ...entry, id: 'audit_2' };
    await store.add(next);
    expect(await store.list({ tenant_id: 't', limit: 9 })).toEqual([next, entry]);
    expect(await readFile(path, 'utf8')).toBe(
      `${JSON.stringify(entry)}\n${JSON.stringify(next)}\n`,
    );
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('reports the entry of a start that can not be saved, which takes place', async () => {
    const data_dir = await mkdtemp(join(tmpdir(), 'parley-audit-'));
    const problems: StorageProblem[] = [];
    const report = (problem: StorageProblem): number => problems.push(problem);
    const stores = await openFileStores({ data_dir, clock: new SystemClock(), report });
    const path = join(data_dir, 'audit.jsonl');
    await mkdir(path);
    const { outcome } = await stores.interactions.startInteraction({ ...newStart(), audit: entry });
    expect(outcome).toBe('started');
    const message = expect.stringContaining(`not be saved: ${JSON.stringify(entry)}. `);
    expect(problems).toEqual([{ path, message }]);
    await stores.close();
    await rm(data_dir, { recursive: true });
  });
});
