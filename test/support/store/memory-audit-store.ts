import type { AuditEntry } from '../../../src/audit/audit-entry.js';
import { AuditStore } from '../../../src/audit/audit-store.js';
import type { AuditPage } from '../../../src/audit/audit-store.js';
import { AuditTrail } from '../../../src/audit/audit-trail.js';
import { SystemClock } from '../../../src/kernel/clock.js';
import { Ids } from '../../../src/kernel/ids.js';

/** Audit trails in memory. */
export class MemoryAuditStore extends AuditStore {
  /** Oldest first. */
  readonly entries: AuditEntry[] = [];

  async add(entry: AuditEntry): Promise<void> {
    this.entries.push(entry);
  }

  async list({ tenant_id, limit, before }: AuditPage): Promise<AuditEntry[]> {
    const end = this.entries.findIndex(({ id }) => id === before?.id);
    const earlier = this.entries.slice(0, end < 0 ? undefined : end);
    return earlier
      .filter((entry) => entry.tenant_id === tenant_id)
      .reverse()
      .slice(0, limit);
  }

  /** A trail that is kept here. */
  get trail(): AuditTrail {
    return new AuditTrail(this, new SystemClock(), new Ids());
  }
}
