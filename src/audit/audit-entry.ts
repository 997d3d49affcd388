import { z } from 'zod';
import type { Immutable } from '../protocol/json.js';
import { text, time } from '../protocol/wire/fields.js';
import { components } from '../protocol/wire/components.js';
import { pageOf } from '../protocol/wire/page.js';

/** The actions of users that are kept. */
export const AUDIT_ACTIONS = [
  'approval.approved',
  'approval.rejected',
  'request.answered',
  'tool_result.given',
  'interaction.cancelled',
  'interaction.changed',
  'interaction.retried',
  'agent.intervened',
  'rule.added',
  'rule.removed',
  'key.created',
  'key.deleted',
  'chat.created',
  'chat.updated',
  'chat.deleted',
  'chat.exported',
  'chat.imported',
  'file.added',
  'file.deleted',
  'access.refused',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

const auditValue = z.union([text, z.number(), z.boolean(), z.null(), z.array(text)]);

export const auditEntry = z
  .object({
    id: text,
    at: time,
    tenant_id: text,
    user_id: text.describe('Who did it.'),
    action: z.enum(AUDIT_ACTIONS),
    chat_id: text.optional(),
    interaction_id: text.optional(),
    detail: z.record(text, auditValue).meta({
      description: 'Ids, names of tools, scopes and counts: docs/operations.md lists them.',
      example: { approval_id: 'approval_1', tool_name: 'bash', modified: false },
    }),
  })
  .describe('An action of a user.')
  .register(components, { id: 'AuditEntry' });

export const auditList = pageOf(auditEntry).register(components, { id: 'AuditList' });

/** An action of a user. */
export type AuditEntry = Immutable<z.infer<typeof auditEntry>>;
/** Never a message, an input or an output. */
export type AuditDetail = AuditEntry['detail'];
export type AuditPage = Immutable<z.infer<typeof auditList>>;
