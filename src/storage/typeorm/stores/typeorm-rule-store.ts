import type { Repository } from 'typeorm';
import type { PermissionRule, RuleScope } from '../../../permissions/permission-rule.js';
import type { RuledCall, RuleFilter } from '../../../permissions/rule-store.js';
import { RuleStore } from '../../../permissions/rule-store.js';
import type { RulePlace } from '../../../permissions/rules/order-rules.js';
import { MAX_USES_KEPT } from '../../../permissions/rules/rule-uses.js';
import type { Database } from '../connection/database.js';
import type { Statement } from '../connection/database.js';

import { RuleEntity } from '../entities/rule.entity.js';

interface Columns extends Omit<PermissionRule, 'created_at' | 'expires_at'> {
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

const UNCOUNTED =
  'id, scope, scope_id, priority, decision, matcher, description, expires_at, max_uses, created_at';
const COLUMNS = `${UNCOUNTED}, uses`;

const LIST_FOR: Statement = {
  name: 'rules.list_for',
  text: `SELECT ${UNCOUNTED}, CASE WHEN $3::text = ANY(used_by) THEN greatest(uses - 1, 0) ELSE uses END AS uses
    FROM permission_rules WHERE scope IN ('user', 'global') OR (scope = 'session' AND scope_id = $1) OR (scope = 'agent' AND scope_id = $2)
    ORDER BY created_at, id`,
};

/** As `orderRules`, in the terms of the index `permission_rules_in_order`. */
const PLACE = `array_position('{user,session,agent,global}'::text[], scope), (-priority), created_at, id`;

/** After the place `$3`…`$6`, if that is set; a rule of a file comes before those here. */
const LIST_IN_ORDER: Statement = {
  text: `SELECT ${COLUMNS} FROM permission_rules WHERE ($1::text IS NULL OR scope = $1) AND ($2::text IS NULL OR scope_id = $2)
      AND ($3::text IS NULL OR (${PLACE}) >
        (array_position('{user,session,agent,global}'::text[], $3::text), -$4::integer, coalesce($5::timestamptz, '-infinity'), $6::text))
    ORDER BY ${PLACE} LIMIT $7`,
};

/** No delete of the chat passes it: its rules go with it. */
const LOCK_CHAT: Statement = {
  name: 'rules.lock_chat',
  text: 'SELECT FROM chats WHERE id = $1 FOR KEY SHARE',
};

/** Additions to one scope are serialized, so that the limit holds. */
const LOCK: Statement = {
  name: 'rules.lock',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('permission_rules/' || $1::text || '/' || coalesce($2::text, ''), 0))`,
};

const ADD: Statement = {
  name: 'rules.add',
  text: `INSERT INTO permission_rules (${COLUMNS})
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
    WHERE (SELECT count(*) FROM permission_rules WHERE scope = $2 AND scope_id IS NOT DISTINCT FROM $3) < $12
      AND ($2 <> 'session' OR EXISTS (SELECT FROM chats WHERE id = $3))
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

  list({ scope, scope_id }: RuleFilter = {}): Promise<PermissionRule[]> {
    const where = { ...(scope && { scope }), ...(scope_id !== undefined && { scope_id }) };
    const order = { created_at: 'ASC', id: 'ASC' } as const;
    return this.#rules((rules) => rules.find({ where, order }));
  }

  async listInOrder(
    { scope, scope_id }: RuleFilter,
    { limit, after }: { readonly limit: number; readonly after?: RulePlace },
  ): Promise<PermissionRule[]> {
    const place = [after?.scope, after?.priority, after?.created_at, after?.id];
    const values = [scope, scope_id, ...place, limit].map((value) => value ?? null);
    return (await this.db.query<Columns>(LIST_IN_ORDER, values)).map(toRule);
  }

  async listFor({ chat_id, agent, use_key }: RuledCall): Promise<PermissionRule[]> {
    const values = [chat_id ?? null, agent ?? null, use_key ?? null];
    return (await this.db.runs.query<Columns>(LIST_FOR, values)).map(toRule);
  }

  async find(id: string): Promise<PermissionRule | undefined> {
    return (await this.#rules((rules) => rules.findOneBy({ id }))) ?? undefined;
  }

  async add(rule: PermissionRule, limit: number): Promise<boolean> {
    const { id, scope, scope_id, priority, decision, matcher } = rule;
    const { description, expires_at, max_uses, created_at, uses } = rule;
    const content = [id, scope, scope_id, priority, decision, JSON.stringify(matcher)];
    const bounds = [description, expires_at, max_uses, created_at, uses, limit];
    const [, , added] = await this.db.batch([
      [LOCK, [scope, scope_id]],
      [LOCK_CHAT, [scope === 'session' ? scope_id : null]],
      [ADD, [...content, ...bounds]],
    ]);
    return (added?.length ?? 0) > 0;
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#rules((rules) => rules.delete({ id }))).affected === 1;
  }

  async removeScope(scope: RuleScope, scopeId?: string): Promise<number> {
    const where = { scope, ...(scopeId !== undefined && { scope_id: scopeId }) };
    return (await this.#rules((rules) => rules.delete(where))).affected ?? 0;
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

  #rules<T>(work: (rules: Repository<PermissionRule>) => Promise<T>): Promise<T> {
    return this.db.entities((manager) => work(manager.getRepository(RuleEntity)));
  }
}

function toRule({ created_at, expires_at, ...rest }: Columns): PermissionRule {
  return {
    ...rest,
    created_at: created_at.toISOString(),
    expires_at: expires_at?.toISOString() ?? null,
  };
}
