import { Injectable } from '@nestjs/common';
import { viewerOf } from '../access/viewer-of.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { requireScope } from '../auth/auth-errors.js';
import type { Principal } from '../auth/principal.js';
import { LiveBus } from '../event-log/live/live-bus.js';
import { RunWaker } from '../event-log/live/run-waker.js';
import { Redaction } from '../guardrails/redaction/redaction.js';
import { Clock } from '../kernel/clock.js';
import { RequestStore } from '../persistence/request.store.js';
import type { AnyViewer, Viewer } from '../persistence/viewer.js';
import type { RequestRow, Settlement } from '../persistence/rows/request-rows.js';
import { deciderOf } from '../protocol/events.js';
import { Telemetry } from '../telemetry/telemetry.js';
import { listAllRequests } from './list-all-requests.js';
import {
  alreadyProcessed,
  requestExpired,
  requestNotFound,
  toolCallNotFound,
  wrongEndpoint,
} from './request-errors.js';
import type { RequestOwner } from './request-errors.js';
import type { RequestKind } from '../protocol/wire/request.js';

/** Time that people have after a start to answer requests from before it, in milliseconds. */
const DOWNTIME_GRACE_MS = 60_000;

/** A person's answer to a question; null declines to. */
export interface Answer {
  readonly request_id: string;
  readonly answer: string | null;
}

/** The result of a tool that the client ran. */
export interface ClientToolResult {
  readonly tool_call_id: string;
  readonly tool_output: string;
  readonly is_error?: boolean;
}

/** The interaction that a request has to belong to, and who names it. */
interface SeenOwner extends RequestOwner {
  readonly viewer: Viewer;
}

/** Finds requests, and settles each at most once (I5). */
@Injectable()
export class RequestsService {
  private readonly started: Date;

  constructor(
    private readonly store: RequestStore,
    private readonly waker: RunWaker,
    private readonly bus: LiveBus,
    private readonly clock: Clock,
    private readonly audit: AuditTrail,
    private readonly redaction: Redaction,
    private readonly telemetry: Telemetry,
  ) {
    this.started = clock.now();
  }

  /**
   * Answers a question, or declines to.
   * @throws AppError `missing_scope` (403), and as `find` and `settle`
   */
  async respond(
    caller: Principal,
    owner: RequestOwner,
    { request_id, answer }: Answer,
  ): Promise<void> {
    requireScope(caller, 'decide');
    const viewer = viewerOf(caller);
    const row = await this.find(request_id, 'input', { ...owner, viewer });
    const settlement = { kind: 'input', answer, by: deciderOf(caller.user_id) } as const;
    await this.settle(viewer, row, await this.redaction.of(settlement, 'answer'));
    const detail = { request_id, declined: answer === null };
    const { chat_id, interaction_id } = row;
    await this.audit.note(caller, 'request.answered', { chat_id, interaction_id, detail });
  }

  /**
   * Takes the result of a tool that the client ran.
   * @throws AppError `missing_scope` (403), `tool_call_not_found` (404), and as `settle`
   */
  async takeToolResult(
    caller: Principal,
    owner: RequestOwner,
    result: ClientToolResult,
  ): Promise<void> {
    requireScope(caller, 'decide');
    const { tool_call_id, tool_output, is_error = false } = result;
    const viewer = viewerOf(caller);
    const row = await this.findCall({ ...owner, viewer }, tool_call_id);
    const by = deciderOf(caller.user_id);
    const settlement = { kind: 'tool', tool_output, is_error, by } as const;
    await this.settle(viewer, row, await this.redaction.of(settlement, 'tool_output'));
    const tool_name = String(row.event['tool_name']);
    const detail = { request_id: row.id, tool_call_id, tool_name, is_error };
    const { chat_id, interaction_id } = row;
    await this.audit.note(caller, 'tool_result.given', { chat_id, interaction_id, detail });
  }

  /**
   * @throws AppError `request_not_found` (404), also when it belongs to another interaction or is
   * of another kind
   */
  async find(id: string, kind: RequestKind, owner: SeenOwner): Promise<RequestRow> {
    const row = await this.store.findRequest(id, owner.viewer);
    const isTheirs = row?.chat_id === owner.chat_id && row.interaction_id === owner.interaction_id;
    if (!isTheirs) throw requestNotFound(id, owner);
    if (row.kind !== kind) throw wrongEndpoint(row);
    return row;
  }

  /**
   * Settles it and wakes its run.
   * @throws AppError `already_processed` with the `decision` that counts, `request_expired` (400),
   * `request_not_found` (404)
   */
  async settle(viewer: AnyViewer, row: RequestRow, settlement: Settlement): Promise<void> {
    const at = this.clock.now();
    const { outcome } = await this.store.settleRequest({
      request_id: row.id,
      tenant_id: row.tenant_id,
      settlement,
      at: at.toISOString(),
      accept_expired: this.isInDowntimeGrace(row),
    });
    switch (outcome) {
      case 'settled':
        this.bus.noteChange({ chat_uid: row.chat_uid, tenant_id: row.tenant_id });
        this.telemetry.emit('request_settled', {
          kind: row.kind,
          wait_ms: at.getTime() - Date.parse(row.created_at),
        });
        return this.waker.wake(row.interaction_id);
      case 'settled_before':
        throw alreadyProcessed(await this.store.findRequest(row.id, viewer));
      case 'expired':
        throw requestExpired(row);
      case 'unknown':
        throw requestNotFound(row.id, row);
    }
  }

  /** A request from before the start may still be answered for a while, even if it has expired. */
  isInDowntimeGrace({ created_at }: Pick<RequestRow, 'created_at'>): boolean {
    const since = this.clock.now().getTime() - this.started.getTime();
    return since < DOWNTIME_GRACE_MS && created_at < this.started.toISOString();
  }

  private async findCall(
    { viewer, chat_id, interaction_id }: SeenOwner,
    callId: string,
  ): Promise<RequestRow> {
    let other: RequestRow | undefined;
    for await (const row of listAllRequests(this.store, { viewer, interaction_id })) {
      if (row.event['tool_call_id'] !== callId || row.chat_id !== chat_id) continue;
      if (row.kind === 'tool') return row;
      other = row;
    }
    throw toolCallNotFound(callId, interaction_id, other);
  }
}
