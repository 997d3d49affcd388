import type { Viewer } from '../../../persistence/viewer.js';
import type { OwnedRule } from '../../../permissions/rules/permission-rule.js';
import type { RuledCall, RuleFilter } from '../../../permissions/rules/rule-store.js';
import { RuleStore } from '../../../permissions/rules/rule-store.js';
import type { RulePlace } from '../../../permissions/rules/order-rules.js';
import { MAX_USES_KEPT } from '../../../permissions/rules/rule-uses.js';
import type { Database, Statement } from '../connection/database.js';
import { asParameters, named } from '../named-statement.js';
import { isSeen, viewerValues, VIEWER } from '../viewer-sql.js';
import type { PermissionRule } from '../../../protocol/wire/rule.js';

interface Columns extends Omit<PermissionRule, 'created_at' | 'expires_at'> {
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

const UNCOUNTED =
  'id, scope, scope_id, priority, decision, matcher, description, expires_at, max_uses, created_at';
const COLUMNS = `${UNCOUNTED}, uses` as const;

const LIST_FOR = named({
  name: 'rules.list_for',
  parameters: 'tenant_id, user_id, chat_uid, agent, use_key',
  text: `SELECT ${UNCOUNTED}, CASE WHEN :use_key::text = ANY(used_by) THEN greatest(uses - 1, 0) ELSE uses END AS uses
    FROM permission_rules WHERE tenant_id = :tenant_id AND (scope = 'global' OR scope = 'user' AND scope_id = :user_id
      OR scope = 'session' AND chat_uid = :chat_uid::uuid OR scope = 'agent' AND scope_id = :agent)
    ORDER BY created_at, id`,
});

/** The order of `orderRules`, in the terms of the index `permission_rules_in_order`. */
const PLACE = `array_position('{user,session,agent,global}'::text[], scope), (-priority), created_at, id`;

const FILTER = `${VIEWER}, scope, scope_id` as const;

/** The rules `r` that the viewer sees, of the scope and with its id, if these are set. */
const MATCHES = `r.tenant_id = :tenant_id AND NOT :any_tenant::boolean AND (:scope::text IS NULL OR r.scope = :scope) AND (:scope_id::text IS NULL OR r.scope_id = :scope_id)
    AND (r.scope <> 'user' OR :is_admin::boolean OR r.scope_id = :user_id::text)
    AND (r.scope <> 'session' OR EXISTS (SELECT FROM chats c WHERE c.uid = r.chat_uid AND ${isSeen('c')}))`;

const LIST = named({
  parameters: FILTER,
  text: `SELECT ${COLUMNS} FROM permission_rules r WHERE ${MATCHES} ORDER BY created_at, id`,
});

const FIND = named({
  name: 'rules.find',
  parameters: `id, ${FILTER}`,
  text: `SELECT ${COLUMNS} FROM permission_rules r WHERE r.id = :id AND ${MATCHES}`,
});

const REMOVE = named({
  name: 'rules.remove',
  parameters: `id, ${FILTER}`,
  text: `DELETE FROM permission_rules r WHERE r.id = :id AND ${MATCHES} RETURNING r.id`,
});

const REMOVE_ALL = named({
  parameters: FILTER,
  text: `DELETE FROM permission_rules r WHERE ${MATCHES} RETURNING r.id`,
});

/** After a place, if that is set; a rule of a file comes before those here. */
const LIST_IN_ORDER = named({
  parameters: `${FILTER}, after_scope, after_priority, after_at, after_id, limit`,
  text: `SELECT ${COLUMNS} FROM permission_rules r WHERE ${MATCHES}
      AND (:after_scope::text IS NULL OR (${PLACE}) >
        (array_position('{user,session,agent,global}'::text[], :after_scope::text), -:after_priority::integer, coalesce(:after_at::timestamptz, '-infinity'), :after_id::text))
    ORDER BY ${PLACE} LIMIT :limit`,
});

/** No delete of the chat passes it: its rules go with it. */
const LOCK_CHAT: Statement = {
  name: 'rules.lock_chat',
  text: 'SELECT FROM chats WHERE uid = $1 FOR KEY SHARE',
};

/** Additions to one scope are serialized, so that the limit holds. */
const LOCK = named({
  name: 'rules.lock',
  parameters: 'tenant_id, scope, scope_id',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('permission_rules/' || :tenant_id::text || '/' || :scope::text || '/' || coalesce(:scope_id::text, ''), 0))`,
});

const ADD = named({
  name: 'rules.add',
  parameters: `${COLUMNS}, tenant_id, chat_uid, limit`,
  text: `INSERT INTO permission_rules (${COLUMNS}, tenant_id, chat_uid)
    SELECT ${asParameters(COLUMNS)}, :tenant_id, :chat_uid::uuid
    WHERE (SELECT count(*) FROM permission_rules WHERE tenant_id = :tenant_id AND scope = :scope AND scope_id IS NOT DISTINCT FROM :scope_id) < :limit
      AND (:chat_uid::uuid IS NULL OR EXISTS (SELECT FROM chats WHERE uid = :chat_uid::uuid))
    ON CONFLICT (id) DO NOTHING RETURNING id`,
});

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
    return (await this.db.query<Columns>(...LIST(toValues(filter)))).map(toRule);
  }

  async listInOrder(
    filter: RuleFilter,
    { limit, after }: { readonly limit: number; readonly after?: RulePlace },
  ): Promise<PermissionRule[]> {
    const list = LIST_IN_ORDER({
      ...toValues(filter),
      after_scope: after?.scope,
      after_priority: after?.priority,
      after_at: after?.created_at,
      after_id: after?.id,
      limit,
    });
    return (await this.db.query<Columns>(...list)).map(toRule);
  }

  async listFor({ chat_uid, agent, use_key, ...caller }: RuledCall): Promise<PermissionRule[]> {
    const list = LIST_FOR({ ...caller, chat_uid, agent, use_key });
    return (await this.db.runs.query<Columns>(...list)).map(toRule);
  }

  async find(id: string, viewer: Viewer): Promise<PermissionRule | undefined> {
    const [found] = await this.db.query<Columns>(...FIND({ id, ...toValues({ viewer }) }));
    return found && toRule(found);
  }

  async add(rule: OwnedRule, limit: number): Promise<boolean> {
    const [, , added] = await this.db.batch([
      LOCK(rule),
      [LOCK_CHAT, [rule.chat_uid]],
      ADD({ ...rule, matcher: JSON.stringify(rule.matcher), limit }),
    ]);
    return (added?.length ?? 0) > 0;
  }

  async remove(id: string, viewer: Viewer): Promise<boolean> {
    return (await this.db.query(...REMOVE({ id, ...toValues({ viewer }) }))).length > 0;
  }

  async removeAll(filter: RuleFilter): Promise<number> {
    return (await this.db.query(...REMOVE_ALL(toValues(filter)))).length;
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

function toValues({ viewer, scope, scope_id }: RuleFilter) {
  return { ...viewerValues(viewer), scope, scope_id };
}

function toRule({ created_at, expires_at, ...rest }: Columns): PermissionRule {
  return {
    ...rest,
    created_at: created_at.toISOString(),
    expires_at: expires_at?.toISOString() ?? null,
  };
}
