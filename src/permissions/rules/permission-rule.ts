import type { PermissionRule } from '../../protocol/wire/rule.js';
/** A rule as stores keep it, with what clients never see. */
export interface OwnedRule extends PermissionRule {
  readonly tenant_id: string;
  /** Chat of a `session` rule; otherwise null. */
  readonly chat_uid: string | null;
}
