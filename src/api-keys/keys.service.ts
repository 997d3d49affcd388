import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import { requireScope } from '../auth/auth-errors.js';
import { ApiKeys } from '../auth/keys/api-keys.js';
import type { ApiKey } from '../auth/keys/key-store.js';
import { KeyStore } from '../auth/keys/key-store.js';
import { MAX_KEYS, newKey } from '../auth/keys/new-key.js';
import type { Principal, Scope } from '../auth/principal.js';
import { Config } from '../config/config.js';
import { parsePageCursor, toPage } from '../kernel/page-cursor.js';
import { AppError } from '../kernel/app-error.js';
import { Clock } from '../kernel/clock.js';
import { isOperator, tenantFor } from '../access/operator.js';
import type { KeyPage, ShownKey } from './shown-key.js';

/** A key to make. */
export interface CreateKey {
  readonly user_id: string;
  readonly scopes: readonly Scope[];
  /** The caller's unless given. */
  readonly tenant_id?: string;
  /** ISO 8601; null or left out: it does not expire. */
  readonly expires_at?: string | null;
}

/** A page of the keys of a tenant, the oldest first. */
export interface ListKeys {
  readonly limit: number;
  readonly cursor?: string;
  /** The caller's unless given. */
  readonly tenant_id?: string;
}

/** Makes, lists and deletes API keys. */
@Injectable()
export class KeysService {
  constructor(
    private readonly store: KeyStore,
    private readonly keys: ApiKeys,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * @throws AppError `foreign_tenant`, `missing_scope` (403), `too_many_keys` (409), `invalid_body`
   * (400) for a time that is over, `keys_not_accepted` (400)
   */
  async create(caller: Principal, body: CreateKey): Promise<ShownKey & { key: string }> {
    if (!this.config.auth.includes('keys')) throw noKeys(this.config.auth);
    const tenant_id = tenantFor(caller, body.tenant_id);
    for (const scope of body.scopes) requireScope(caller, scope);
    const now = this.clock.now();
    const expires_at = body.expires_at ?? null;
    if (expires_at !== null && !(Date.parse(expires_at) > now.getTime())) throw alreadyOver();
    const { user_id, scopes } = body;
    const wanted = { tenant_id, user_id, scopes, expires_at };
    const { key, text } = newKey(wanted, { now, created_by: caller.user_id });
    if (!(await this.store.add(key, MAX_KEYS))) {
      const message = `The tenant ${tenant_id} has ${MAX_KEYS} keys already. Delete some first.`;
      throw new AppError('conflict', 'too_many_keys', message);
    }
    const detail = { id: key.id, user_id, scopes, expires_at };
    await this.audit.note({ ...caller, tenant_id }, 'key.created', { detail });
    return Object.assign(toView(key), { key: text });
  }

  /** @throws AppError `foreign_tenant` (403) */
  async list(caller: Principal, query: ListKeys): Promise<KeyPage> {
    const { limit, cursor } = query;
    const tenant_id = tenantFor(caller, query.tenant_id);
    const after = cursor === undefined ? undefined : parsePageCursor(cursor);
    const page = { tenant_id, limit: limit + 1, ...(after && { after }) };
    const { items, next_cursor } = toPage(await this.store.list(page), limit);
    return { items: items.map(toView), next_cursor };
  }

  /** @throws AppError `key_not_found` (404), also for a key of another tenant */
  async delete(caller: Principal, id: string): Promise<void> {
    const own = isOperator(caller) ? undefined : caller.tenant_id;
    const tenant_id = await this.store.remove(id, own);
    this.keys.forget(id);
    if (tenant_id === undefined)
      throw new AppError('not_found', 'key_not_found', `There is no key ${id}. See GET /keys.`);
    await this.audit.note({ ...caller, tenant_id }, 'key.deleted', { detail: { id } });
  }
}

function noKeys(auth: Config['auth']): AppError {
  const message = `This server has AUTH=${auth.join()}, so that no key would be accepted. Set AUTH=${auth.includes('jwt') ? 'keys,jwt' : 'keys'} (docs/auth.md).`;
  return new AppError('invalid', 'keys_not_accepted', message);
}

function alreadyOver(): AppError {
  const message = 'must be a time in the future, such as 2027-01-31T00:00:00Z';
  return new AppError('invalid', 'invalid_body', `expires_at ${message}.`, {
    errors: [{ field: 'expires_at', message }],
  });
}

function toView({ secret_hash: _, ...key }: ApiKey): ShownKey {
  return key;
}
