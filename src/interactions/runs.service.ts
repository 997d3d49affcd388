import { Injectable } from '@nestjs/common';
import { operatorOf } from '../access/viewer-of.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../auth/principal.js';
import { CancellationService } from '../cancellation/cancellation.service.js';
import { MAX_PAGE_BYTES, parsePageCursor, toPage } from '../http/input/page-cursor.js';
import { AppError } from '../kernel/app-error.js';
import { ChatStore } from '../persistence/chat.store.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import { isFinal } from '../protocol/interaction.js';
import { RUN_STATUSES } from './dto/runs.dto.js';
import type {
  CancelRunsDto,
  CancelledRunDto,
  CancelledRunsDto,
  RunDto,
  RunListDto,
  RunsQueryDto,
} from './dto/runs.dto.js';

/** Interactions of one request for all. */
const MAX_CANCELLED = 1_000;
const ABREAST = 16;

type FoundRun = Pick<InteractionRow, 'id' | 'tenant_id' | 'chat_id' | 'status' | 'cancel_reason'>;

/** The active and queued interactions of a tenant, for its operators. */
@Injectable()
export class RunsService {
  constructor(
    private readonly interactions: InteractionStore,
    private readonly chats: ChatStore,
    private readonly cancellation: CancellationService,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws AppError `invalid_query` (400) */
  async list(caller: Principal, query: RunsQueryDto): Promise<RunListDto> {
    const { limit, cursor, status, chat_id } = query;
    const viewer = operatorOf(caller);
    const after = cursor === undefined ? undefined : parsePageCursor(cursor);
    const chat = chat_id === undefined ? undefined : await this.chats.findChat(chat_id, viewer);
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

  /** @throws AppError `invalid_body` (400) */
  async cancel(caller: Principal, wanted: CancelRunsDto): Promise<CancelledRunsDto> {
    const { interaction_ids, all } = wanted;
    if (interaction_ids && all) throw bothGiven();
    const ids = interaction_ids ?? (await this.listAll(caller));
    const asked = [...new Set(ids)].slice(0, MAX_CANCELLED);
    const viewer = operatorOf(caller);
    const found = await inSlices(asked, async (id) => {
      const row = await this.interactions.findInteraction(id, viewer);
      return row && withoutTexts(row);
    });
    const outcomes = new Map<string, CancelledRunDto>();
    const rows = found.filter((row) => row !== undefined);
    const queued = rows.filter(({ status }) => status === 'QUEUED');
    // Before the others: one would start as soon as its chat is free.
    for (const some of [queued, rows.filter(({ status }) => status !== 'QUEUED')])
      await inSlices(some, async (row) => {
        outcomes.set(row.id, await this.cancelOne(caller, row));
      });
    const items = asked.map((id) => outcomes.get(id) ?? notFound(id));
    return { items, has_more: ids.length > MAX_CANCELLED };
  }

  private listAll(caller: Principal): Promise<string[]> {
    const limit = MAX_CANCELLED + 1;
    const page = { viewer: operatorOf(caller), statuses: RUN_STATUSES, limit };
    return this.interactions.listRunIds(page);
  }

  private async cancelOne(caller: Principal, before: FoundRun): Promise<CancelledRunDto> {
    const reason = 'Cancelled by an operator.';
    const row = isFinal(before.status)
      ? before
      : await this.cancellation.request(before, reason, caller.user_id);
    if (!row) return notFound(before.id);
    const { id: interaction_id, status, chat_id } = row;
    if (isFinal(status)) return { interaction_id, outcome: 'already_ended', status };
    if (before.cancel_reason === null)
      await this.audit.note(caller, 'interaction.cancelled', { chat_id, interaction_id });
    return { interaction_id, outcome: 'cancelling', status };
  }
}

async function inSlices<T, R>(items: T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += ABREAST)
    results.push(...(await Promise.all(items.slice(from, from + ABREAST).map(work))));
  return results;
}

function withoutTexts({ id, tenant_id, chat_id, status, cancel_reason }: InteractionRow): FoundRun {
  return { id, tenant_id, chat_id, status, cancel_reason };
}

function notFound(interaction_id: string): CancelledRunDto {
  return { interaction_id, outcome: 'not_found', status: null };
}

function viewRun(row: InteractionRow): RunDto {
  const { id, chat_id, status, agent, agent_id, model, started_by, usage } = row;
  const { last_seq, created_at, cancel_reason } = row;
  const is_cancelling = cancel_reason !== null;
  return {
    ...{ id, chat_id, status, agent, agent_id, model, started_by },
    ...{ is_cancelling, usage, last_seq, created_at },
  };
}

function bothGiven(): AppError {
  const message = 'must not be given together with interaction_ids';
  return new AppError('invalid', 'invalid_body', `all ${message}.`, {
    errors: [{ field: 'all', message }],
  });
}
