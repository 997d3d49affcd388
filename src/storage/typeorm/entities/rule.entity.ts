import { EntitySchema } from 'typeorm';
import type { PermissionRule } from '../../../permissions/permission-rule.js';
import { ID, INTEGER, JSON_TEXT, nullable, TEXT, TIME } from './columns.js';

/** Without `used_by`, which only counts uses. */
export const RuleEntity = new EntitySchema<PermissionRule>({
  name: 'permission_rules',
  columns: {
    id: { ...ID, primary: true },
    scope: TEXT,
    scope_id: nullable(ID),
    priority: INTEGER,
    decision: TEXT,
    matcher: JSON_TEXT,
    description: nullable(TEXT),
    expires_at: nullable(TIME),
    max_uses: nullable(INTEGER),
    created_at: TIME,
    uses: INTEGER,
  },
});
