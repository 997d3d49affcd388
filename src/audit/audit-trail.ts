import { Injectable, Logger } from '@nestjs/common';
import type { Principal } from '../auth/principal.js';
import { formatPageCursor, jsonBytes, parsePageCursor, toPage } from '../kernel/page-cursor.js';
import { Clock } from '../kernel/clock.js';
import { Ids } from '../kernel/ids.js';
import { withinTenant } from '../kernel/tenant-scope.js';
import type { AuditAction, AuditDetail, AuditEntry, AuditPage } from './audit-entry.js';
import { AuditStore } from './audit-store.js';

/** Size of a detail as JSON. */
const MAX_DETAIL_BYTES = 2_048;

type Author = Pick<Principal, 'tenant_id' | 'user_id' | 'key_id'>;

/** The object of an action. */
export interface AuditSubject {
  readonly chat_id?: string;
  readonly interaction_id?: string;
  readonly detail?: AuditDetail;
}

/** Keeps who did what. It outlives the chats that it is about. */
@Injectable()
export class AuditTrail {
  private readonly logger = new Logger('Audit');

  constructor(
    private readonly store: AuditStore,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * Call after the action, before its answer. Never rejects: the action has taken place, so an
   * entry that can't be saved is logged.
   */
  async note(author: Author, action: AuditAction, subject: AuditSubject = {}): Promise<void> {
    const entry = this.entry(author, action, subject);
    try {
      // ADMIN_KEY acts in other tenants than its own
      await withinTenant(author.tenant_id, () => this.store.add(entry));
    } catch (err) {
      this.logger.error({ message: 'An audit entry could not be saved.', entry, err });
    }
  }

  /**
   * A page of the caller's tenant, newest first.
   * @throws AppError `invalid_query` (400)
   */
  async list(
    { tenant_id }: Pick<Principal, 'tenant_id'>,
    { limit, cursor }: { readonly limit: number; readonly cursor?: string },
  ): Promise<AuditPage> {
    const end = cursor === undefined ? undefined : parsePageCursor(cursor);
    const before = end && { at: end.created_at, id: end.id };
    const found = await this.store.list({ tenant_id, limit: limit + 1, ...(before && { before }) });
    return toPage(found, limit, ({ at, id }) => formatPageCursor({ created_at: at, id }));
  }

  /** For a store that adds it in the transaction of the action. */
  entry(
    { tenant_id, user_id, key_id }: Author,
    action: AuditAction,
    { chat_id, interaction_id, detail = {} }: AuditSubject = {},
  ): AuditEntry {
    const fits = jsonBytes(detail) <= MAX_DETAIL_BYTES;
    return {
      id: this.ids.make('audit'),
      at: this.clock.now().toISOString(),
      ...{ tenant_id, user_id, action },
      ...(chat_id !== undefined && { chat_id }),
      ...(interaction_id !== undefined && { interaction_id }),
      detail: { ...(key_id !== undefined && { key_id }), ...(fits ? detail : { too_large: true }) },
    };
  }
}
