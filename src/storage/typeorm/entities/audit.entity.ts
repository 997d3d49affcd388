import { EntitySchema } from 'typeorm';
import type { AuditEntry } from '../../../audit/audit-entry.js';
import { ID, JSON_TEXT, nullable, TEXT, TIME } from './columns.js';

/** An entry as the table has it. */
export type AuditRow = Omit<AuditEntry, 'chat_id' | 'interaction_id'> & {
  readonly chat_id: string | null;
  readonly interaction_id: string | null;
};

export const AuditEntity = new EntitySchema<AuditRow>({
  name: 'audit',
  columns: {
    id: { ...ID, primary: true },
    at: TIME,
    tenant_id: ID,
    user_id: TEXT,
    action: TEXT,
    chat_id: nullable(ID),
    interaction_id: nullable(ID),
    detail: JSON_TEXT,
  },
});
