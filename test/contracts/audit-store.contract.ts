import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '../../src/audit/audit-entry.js';
import type { AuditStore } from '../../src/audit/audit-store.js';
import { Ids } from '../../src/kernel/ids.js';
import type { InteractionStore } from '../../src/persistence/interaction.store.js';
import type { StartInteraction } from '../../src/persistence/rows/start-rows.js';
import { newStart } from './interaction-store/fixtures.js';

export interface OpenedAuditStore {
  readonly audit: AuditStore;
  readonly interactions: InteractionStore;
  /** Closes it and opens it again over the same saved data, as a restarted process would. */
  reopen(): Promise<void>;
  /** Closes it and removes its data. */
  close(): Promise<void>;
}

const ids = new Ids();
let made = 0;

/** Younger than those before it. */
function entry(tenant_id: string, more: Partial<AuditEntry> = {}): AuditEntry {
  made++;
  return {
    id: ids.make('audit'),
    at: new Date(Date.UTC(2026, 0, 1, 0, 0, 0, made)).toISOString(),
    tenant_id,
    user_id: 'ann',
    action: 'chat.created',
    detail: {},
    ...more,
  };
}

/**
 * What every `AuditStore` must do. The store is opened once; every test has a tenant of its own.
 */
export function auditStoreContract(name: string, open: () => Promise<OpenedAuditStore>): void {
  describe(`${name} as an AuditStore`, () => {
    let opened: OpenedAuditStore;
    let tenant_id: string;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    beforeEach(() => {
      tenant_id = randomUUID();
    });
    const add = async (more?: Partial<AuditEntry>): Promise<AuditEntry> => {
      const one = entry(tenant_id, more);
      await opened.audit.add(one);
      return one;
    };
    const list = (limit: number, before?: AuditEntry): Promise<AuditEntry[]> =>
      opened.audit.list({ tenant_id, limit, ...(before && { before }) });

    it('gets the entry of a start that creates its chat, and of no other', async () => {
      const asked = (chat_id: string, more: Partial<StartInteraction> = {}): StartInteraction => ({
        ...newStart({
          ...{ viewer: { tenant_id, user_id: 'ann', is_admin: false } },
          ...{ chat_id, chat_uid: randomUUID() },
        }),
        ...more,
      });
      const start = async (given: StartInteraction): Promise<[string, AuditEntry]> => {
        const { id: interaction_id, chat_id } = given.interaction;
        const audit = entry(tenant_id, { chat_id, interaction_id });
        const { outcome } = await opened.interactions.startInteraction({ ...given, audit });
        return [outcome, audit];
      };
      const idempotency = { key: 'once', fingerprint: 'f' };
      const [outcome, created] = await start(asked('a', { idempotency }));
      expect(outcome).toBe('started');
      const starts = { limit: 1, since: new Date(0).toISOString() };
      const others = [
        asked('a', { idempotency }),
        asked('a'),
        asked('a', { on_conflict: 'enqueue' }),
        asked('b', { quota: { starts } }),
      ];
      const outcomes: string[] = [];
      for (const other of others) outcomes.push((await start(other))[0]);
      expect(outcomes).toEqual(['repeated', 'busy', 'queued', 'quota_exceeded']);
      expect(await list(9)).toEqual([created]);
      await opened.reopen();
      expect(await list(9)).toEqual([created]);
    });

    it('gives an entry back as it was added, also after a restart', async () => {
      const bare = await add();
      const full = await add({
        user_id: 'Ünïcode \u2028 \ud83d\ude00',
        chat_id: 'chat_1',
        interaction_id: 'int_1',
        detail: { name: 'é\n\u0000', count: 3, is_error: false, none: null, fields: ['a', 'b'] },
      });
      expect(await list(10)).toEqual([full, bare]);
      await opened.reopen();
      expect(await list(10)).toEqual([full, bare]);
      const later = await add();
      expect(await list(10)).toEqual([later, full, bare]);
    });

    it('has nothing for a tenant without entries', async () => {
      expect(await list(10)).toEqual([]);
    });

    it('gives pages, newest first, of one tenant only', async () => {
      const own: AuditEntry[] = [];
      for (let n = 0; n < 5; n++) {
        own.unshift(await add());
        await opened.audit.add(entry(`${tenant_id} of others`));
      }
      expect(await list(2)).toEqual(own.slice(0, 2));
      expect(await list(2, own[1])).toEqual(own.slice(2, 4));
      await add();
      expect(await list(2, own[3])).toEqual(own.slice(4));
      expect(await list(2, own[4])).toEqual([]);
    });

    it('tells entries of the same time apart', async () => {
      const at = '2026-02-01T00:00:00.000Z';
      const one = await add({ at });
      const two = await add({ at });
      expect(await list(1)).toEqual([two]);
      expect(await list(1, two)).toEqual([one]);
    });

    it('keeps all entries that are added at once', async () => {
      const added = await Promise.all(Array.from({ length: 40 }, () => add()));
      const found = await list(100);
      expect(new Set(found.map(({ id }) => id))).toEqual(new Set(added.map(({ id }) => id)));
      expect(found).toHaveLength(40);
    });

    it('reads a trail of many entries, page by page', async () => {
      const name = 'x'.repeat(1_500);
      const added: string[] = [];
      for (let n = 0; n < 150; n++) added.unshift((await add({ detail: { name, n } })).id);
      const found: AuditEntry[] = [];
      for (let page = await list(40); page.length > 0; page = await list(40, page.at(-1)))
        found.push(...page);
      expect(found.map(({ id }) => id)).toEqual(added);
    });
  });
}
