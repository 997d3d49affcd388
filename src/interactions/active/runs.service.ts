import { Injectable } from '@nestjs/common';
import { inTenant, isOfOneTenant, operatorIn, tenantFor } from '../../access/operator.js';
import { viewerOf } from '../../access/viewer-of.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../auth/principal.js';
import { CancellationService } from '../../cancellation/cancellation.service.js';
import { mapInBatches } from '../../kernel/async/batches.js';
import { MAX_PAGE_BYTES, parsePageCursor, toPage } from '../../kernel/page-cursor.js';
import { AppError } from '../../kernel/app-error.js';
import { ChatStore } from '../../persistence/chat.store.js';
import { InteractionStore } from '../../persistence/interaction.store.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { ChatRow } from '../../persistence/rows/chat-rows.js';
import type { AnyViewer } from '../../persistence/viewer.js';
import { shownRequirement } from '../../runs/requirements/find-missing.js';
import { isFinal } from '../../protocol/interaction.js';
import type { CancelRuns, ListRuns } from './run-list.js';
import { RUN_STATUSES } from '../../protocol/wire/run.js';
import type { CancelledRun, CancelledRuns, ListedRun, RunPage } from '../../protocol/wire/run.js';

/** Interactions of one request for all. */
const MAX_CANCELLED = 1_000;
const CONCURRENCY = 16;
const OWN_PAGE = 100;

type FoundRun = Pick<InteractionRow, 'id' | 'tenant_id' | 'chat_id' | 'status' | 'cancel_reason'>;

/** The active and queued interactions of a tenant, or of all, for operators. */
@Injectable()
export class RunsService {
  constructor(
    private readonly interactions: InteractionStore,
    private readonly chats: ChatStore,
    private readonly cancellation: CancellationService,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws AppError `invalid_query` (400), `foreign_tenant` (403) */
  list(caller: Principal, query: ListRuns): Promise<RunPage> {
    const tenant = tenantFor(caller, query.tenant_id);
    return inTenant(caller, tenant, () => this.listSeen(operatorIn(caller, tenant), query));
  }

  private async listSeen(viewer: AnyViewer, query: ListRuns): Promise<RunPage> {
    const { limit, cursor, status, chat_id } = query;
    const after = cursor === undefined ? undefined : parsePageCursor(cursor);
    const chat = chat_id === undefined ? undefined : await this.findChat(chat_id, viewer);
    if (chat_id !== undefined && !chat) return { items: [], next_cursor: null };
    const rows = await this.interactions.listRuns({
      ...{ viewer, statuses: status ? [status] : RUN_STATUSES, limit: limit + 1 },
      bytes: MAX_PAGE_BYTES,
      ...(chat && { chat_uid: chat.uid }),
      ...(after && { after }),
    });
    const { items, next_cursor } = toPage(rows, limit);
    return { items: items.map(viewRun), next_cursor };
  }

  private async findChat(id: string, viewer: AnyViewer): Promise<ChatRow | undefined> {
    if (isOfOneTenant(viewer)) return this.chats.findChat(id, viewer);
    throw invalid(
      'invalid_query',
      'chat_id',
      'needs one tenant_id, since ids are unique in a tenant',
    );
  }

  /** An active or queued interaction that the caller has started. */
  async findOwn(
    caller: Principal,
    fits: (row: InteractionRow) => boolean,
  ): Promise<InteractionRow | undefined> {
    const { user_id } = caller;
    const page = { viewer: viewerOf(caller), statuses: RUN_STATUSES, limit: OWN_PAGE };
    let rows: InteractionRow[] = [];
    do {
      const after = rows.at(-1);
      rows = await this.interactions.listRuns({ ...page, ...(after && { after }) });
      const found = rows.find((row) => row.started_by === user_id && fits(row));
      if (found) return found;
    } while (rows.length === OWN_PAGE);
    return undefined;
  }

  /** @throws AppError `invalid_body` (400), `foreign_tenant` (403) */
  cancel(caller: Principal, wanted: CancelRuns): Promise<CancelledRuns> {
    const tenant = tenantFor(caller, wanted.tenant_id);
    const viewer = operatorIn(caller, tenant);
    return inTenant(caller, tenant, () => this.cancelSeen(caller, viewer, wanted));
  }

  private async cancelSeen(
    caller: Principal,
    viewer: AnyViewer,
    { interaction_ids, all }: CancelRuns,
  ): Promise<CancelledRuns> {
    if (interaction_ids && all)
      throw invalid('invalid_body', 'all', 'must not be given together with interaction_ids');
    const ids = interaction_ids ?? (await this.listAll(viewer));
    const asked = [...new Set(ids)].slice(0, MAX_CANCELLED);
    const found = await mapInBatches(asked, CONCURRENCY, async (id) => {
      const row = await this.interactions.findInteraction(id, viewer);
      return row && withoutTexts(row);
    });
    const outcomes = new Map<string, CancelledRun>();
    const rows = found.filter((row) => row !== undefined);
    const queued = rows.filter(({ status }) => status === 'QUEUED');
    // Before the others: one would start as soon as its chat is free.
    for (const some of [queued, rows.filter(({ status }) => status !== 'QUEUED')])
      await mapInBatches(some, CONCURRENCY, async (row) => {
        outcomes.set(row.id, await this.cancelOne(caller, row));
      });
    const items = asked.map((id) => outcomes.get(id) ?? notFound(id));
    return { items, has_more: ids.length > MAX_CANCELLED };
  }

  private listAll(viewer: AnyViewer): Promise<string[]> {
    const limit = MAX_CANCELLED + 1;
    return this.interactions.listRunIds({ viewer, statuses: RUN_STATUSES, limit });
  }

  private async cancelOne(caller: Principal, before: FoundRun): Promise<CancelledRun> {
    const reason = 'Cancelled by an operator.';
    const row = isFinal(before.status)
      ? before
      : await this.cancellation.request(before, reason, caller.user_id);
    if (!row) return notFound(before.id);
    const { id: interaction_id, status, chat_id, tenant_id } = row;
    if (isFinal(status)) return { interaction_id, tenant_id, outcome: 'already_ended', status };
    const author = { ...caller, tenant_id };
    if (before.cancel_reason === null)
      await this.audit.note(author, 'interaction.cancelled', { chat_id, interaction_id });
    return { interaction_id, tenant_id, outcome: 'cancelling', status };
  }
}

function withoutTexts({ id, tenant_id, chat_id, status, cancel_reason }: InteractionRow): FoundRun {
  return { id, tenant_id, chat_id, status, cancel_reason };
}

function notFound(interaction_id: string): CancelledRun {
  return { interaction_id, outcome: 'not_found', status: null };
}

function viewRun(row: InteractionRow): ListedRun {
  const { id, tenant_id, chat_id, status, agent, agent_id, model, started_by, usage } = row;
  const { last_seq, created_at, cancel_reason } = row;
  const waits_for = row.waits_for === null ? null : shownRequirement(row.waits_for);
  const is_cancelling = cancel_reason !== null;
  return {
    ...{ id, tenant_id, chat_id, status, agent, agent_id, model, started_by },
    ...{ is_cancelling, waits_for, usage, last_seq, created_at },
  };
}

function invalid(code: 'invalid_body' | 'invalid_query', field: string, message: string): AppError {
  return new AppError('invalid', code, `${field} ${message}.`, { errors: [{ field, message }] });
}
