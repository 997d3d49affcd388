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

/** Ids, names of tools, scopes and counts only: never a message, an input or an output. */
export type AuditDetail = Readonly<Record<string, AuditValue>>;
type AuditValue = string | number | boolean | null | readonly string[];

/** An action of a user. */
export interface AuditEntry {
  readonly id: string;
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly tenant_id: string;
  readonly user_id: string;
  readonly action: AuditAction;
  readonly chat_id?: string;
  readonly interaction_id?: string;
  readonly detail: AuditDetail;
}
