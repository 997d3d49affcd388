import type { Viewer } from '../../../persistence/viewer.js';
import type { OwnedRule } from '../../../permissions/rules/permission-rule.js';
import type { RuledCall, RuleFilter } from '../../../permissions/rules/rule-store.js';
import { RuleStore } from '../../../permissions/rules/rule-store.js';
import type { RulePlace } from '../../../permissions/rules/order-rules.js';
import { MAX_USES_KEPT } from '../../../permissions/rules/rule-uses.js';
import type { Database } from '../connection/database.js';
import type { Statement } from '../connection/database.js';
import { isSeen, viewerValues } from '../viewer-sql.js';
import type { PermissionRule } from '../../../protocol/wire/rule.js';

interface Columns extends Omit<PermissionRule, 'created_at' | 'expires_at'> {
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

const UNCOUNTED =
  'id, scope, scope_id, priority, decision, matcher, description, expires_at, max_uses, created_at';
const COLUMNS = `${UNCOUNTED}, uses`;

const LIST_FOR: Statement = {
  name: 'rules.list_for',
  text: `SELECT ${UNCOUNTED}, CASE WHEN $5::text = ANY(used_by) THEN greatest(uses - 1, 0) ELSE uses END AS uses
    FROM permission_rules WHERE tenant_id = $1 AND (scope = 'global' OR scope = 'user' AND scope_id = $2
      OR scope = 'session' AND chat_uid = $3::uuid OR scope = 'agent' AND scope_id = $4)
    ORDER BY created_at, id`,
};

/** As `orderRules`, in the terms of the index `permission_rules_in_order`. */
const PLACE = `array_position('{user,session,agent,global}'::text[], scope), (-priority), created_at, id`;

/**
 * The rules `r` that the viewer `$1`…`$4` sees, of the scope `$5` with the id `$6`, if these are
 * set.
 */
const MATCHES = `r.tenant_id = $2 AND NOT $1::boolean AND ($5::text IS NULL OR r.scope = $5) AND ($6::text IS NULL OR r.scope_id = $6)
    AND (r.scope <> 'user' OR $3::boolean OR r.scope_id = $4::text)
    AND (r.scope <> 'session' OR EXISTS (SELECT FROM chats c WHERE c.uid = r.chat_uid AND ${isSeen('c', 1)}))`;

const LIST: Statement = {
  text: `SELECT ${COLUMNS} FROM permission_rules r WHERE ${MATCHES} ORDER BY created_at, id`,
};

const FIND: Statement = {
  name: 'rules.find',
  text: `SELECT ${COLUMNS} FROM permission_rules r WHERE r.id = $7 AND ${MATCHES}`,
};

const REMOVE: Statement = {
  name: 'rules.remove',
  text: `DELETE FROM permission_rules r WHERE r.id = $7 AND ${MATCHES} RETURNING r.id`,
};

const REMOVE_ALL: Statement = {
  text: `DELETE FROM permission_rules r WHERE ${MATCHES} RETURNING r.id`,
};

/** After the place `$7`…`$10`, if that is set; a rule of a file comes before those here. */
const LIST_IN_ORDER: Statement = {
  text: `SELECT ${COLUMNS} FROM permission_rules r WHERE ${MATCHES}
      AND ($7::text IS NULL OR (${PLACE}) >
        (array_position('{user,session,agent,global}'::text[], $7::text), -$8::integer, coalesce($9::timestamptz, '-infinity'), $10::text))
    ORDER BY ${PLACE} LIMIT $11`,
};

/** No delete of the chat passes it: its rules go with it. */
const LOCK_CHAT: Statement = {
  name: 'rules.lock_chat',
  text: 'SELECT FROM chats WHERE uid = $1 FOR KEY SHARE',
};

/** Additions to one scope are serialized, so that the limit holds. */
const LOCK: Statement = {
  name: 'rules.lock',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('permission_rules/' || $1::text || '/' || $2::text || '/' || coalesce($3::text, ''), 0))`,
};

const ADD: Statement = {
  name: 'rules.add',
  text: `INSERT INTO permission_rules (${COLUMNS}, tenant_id, chat_uid)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $13, $14::uuid
    WHERE (SELECT count(*) FROM permission_rules WHERE tenant_id = $13 AND scope = $2 AND scope_id IS NOT DISTINCT FROM $3) < $12
      AND ($14::uuid IS NULL OR EXISTS (SELECT FROM chats WHERE uid = $14::uuid))
    ON CONFLICT (id) DO NOTHING RETURNING id`,
};

const COUNT_USE: Statement = {
  name: 'rules.count_use',
  text: `UPDATE permission_rules SET
      uses = CASE WHEN $2::text = ANY(used_by) THEN uses ELSE uses + 1 END,
      used_by = CASE WHEN $2 = ANY(used_by) THEN used_by ELSE (ARRAY[$2] || used_by)[1:${MAX_USES_KEPT}] END
    WHERE id = $1 AND ($2 = ANY(used_by) OR max_uses IS NULL OR uses < max_uses) RETURNING id`,
};

const COUNT_USE_IN_FILE: Statement = {
  name: 'rules.count_use_in_file',
  text: `INSERT INTO rule_uses_in_files AS u (rule_id, uses, used_by) VALUES ($1, 1, ARRAY[$2::text])
    ON CONFLICT (rule_id) DO UPDATE SET
      uses = CASE WHEN $2 = ANY(u.used_by) THEN u.uses ELSE u.uses + 1 END,
      used_by = CASE WHEN $2 = ANY(u.used_by) THEN u.used_by ELSE (ARRAY[$2::text] || u.used_by)[1:${MAX_USES_KEPT}] END
    WHERE $2 = ANY(u.used_by) OR $3::integer IS NULL OR u.uses < $3 RETURNING rule_id`,
};

const LIST_USES_IN_FILES: Statement = {
  name: 'rules.list_uses_in_files',
  text: `SELECT rule_id, CASE WHEN $2::text = ANY(used_by) THEN greatest(uses - 1, 0) ELSE uses END AS uses
    FROM rule_uses_in_files WHERE rule_id = ANY($1::text[])`,
};

/** Rules in Postgres, on a server or embedded. */
export class TypeOrmRuleStore extends RuleStore {
  constructor(private readonly db: Database) {
    super();
  }

  async list(filter: RuleFilter): Promise<PermissionRule[]> {
    return (await this.db.query<Columns>(LIST, toValues(filter))).map(toRule);
  }

  async listInOrder(
    filter: RuleFilter,
    { limit, after }: { readonly limit: number; readonly after?: RulePlace },
  ): Promise<PermissionRule[]> {
    const place = [after?.scope, after?.priority, after?.created_at, after?.id];
    const values = [...toValues(filter), ...place, limit].map((value) => value ?? null);
    return (await this.db.query<Columns>(LIST_IN_ORDER, values)).map(toRule);
  }

  async listFor(call: RuledCall): Promise<PermissionRule[]> {
    const { tenant_id, user_id, chat_uid, agent, use_key } = call;
    const values = [tenant_id, user_id, chat_uid ?? null, agent ?? null, use_key ?? null];
    return (await this.db.runs.query<Columns>(LIST_FOR, values)).map(toRule);
  }

  async find(id: string, viewer: Viewer): Promise<PermissionRule | undefined> {
    const [found] = await this.db.query<Columns>(FIND, [...toValues({ viewer }), id]);
    return found && toRule(found);
  }

  async add(rule: OwnedRule, limit: number): Promise<boolean> {
    const { id, scope, scope_id, priority, decision, matcher, tenant_id, chat_uid } = rule;
    const { description, expires_at, max_uses, created_at, uses } = rule;
    const content = [id, scope, scope_id, priority, decision, JSON.stringify(matcher)];
    const bounds = [description, expires_at, max_uses, created_at, uses, limit];
    const [, , added] = await this.db.batch([
      [LOCK, [tenant_id, scope, scope_id]],
      [LOCK_CHAT, [chat_uid]],
      [ADD, [...content, ...bounds, tenant_id, chat_uid]],
    ]);
    return (added?.length ?? 0) > 0;
  }

  async remove(id: string, viewer: Viewer): Promise<boolean> {
    return (await this.db.query(REMOVE, [...toValues({ viewer }), id])).length > 0;
  }

  async removeAll(filter: RuleFilter): Promise<number> {
    return (await this.db.query(REMOVE_ALL, toValues(filter))).length;
  }

  async countUse(id: string, useKey: string): Promise<boolean> {
    return (await this.db.runs.query(COUNT_USE, [id, useKey])).length > 0;
  }

  async countUseInFile(
    { id, max_uses }: Pick<PermissionRule, 'id' | 'max_uses'>,
    useKey: string,
  ): Promise<boolean> {
    return (await this.db.query(COUNT_USE_IN_FILE, [id, useKey, max_uses])).length > 0;
  }

  async listUsesInFiles(
    ids: readonly string[],
    useKey?: string,
  ): Promise<ReadonlyMap<string, number>> {
    const rows = await this.db.query<{ rule_id: string; uses: number }>(LIST_USES_IN_FILES, [
      ids,
      useKey ?? null,
    ]);
    return new Map(rows.map(({ rule_id, uses }) => [rule_id, uses]));
  }
}

/** `$1`…`$6` of `MATCHES`. */
function toValues({ viewer, scope, scope_id }: RuleFilter): unknown[] {
  return [...viewerValues(viewer), scope ?? null, scope_id ?? null];
}

function toRule({ created_at, expires_at, ...rest }: Columns): PermissionRule {
  return {
    ...rest,
    created_at: created_at.toISOString(),
    expires_at: expires_at?.toISOString() ?? null,
  };
}
