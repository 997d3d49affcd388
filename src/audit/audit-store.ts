import type { AuditEntry } from './audit-entry.js';

export interface AuditPage {
  readonly tenant_id: string;
  readonly limit: number;
  /** The last entry of the previous page. */
  readonly before?: Pick<AuditEntry, 'at' | 'id'>;
}

/** Port: the audit trails of all tenants. Entries are added, and never changed. */
export abstract class AuditStore {
  /** Resolves once the entry is durable. */
  abstract add(entry: AuditEntry): Promise<void>;
  /** Lists entries of the tenant, newest first. */
  abstract list(page: AuditPage): Promise<AuditEntry[]>;
}
