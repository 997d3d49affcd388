import type {
  AppendBatch,
  AppendOutcome,
  InteractionEnd,
} from '../../persistence/rows/store-rows.js';
import type { FileQueue } from './file-queue.js';
import type { InteractionLog } from './interaction-log.js';
import type { LogGate } from './log-gate.js';
import type { AppendPlan } from './plan-append.js';
import { planAppend } from './plan-append.js';
import type { Projections } from './projections.js';
import type { StoreIndex } from './store-index.js';

type WritePlan = Exclude<AppendPlan, { outcome: AppendOutcome }>;

export interface AppendDeps {
  readonly index: StoreIndex;
  readonly gate: LogGate;
  readonly queue: FileQueue;
  readonly projections: Projections;
}

/** Writes to logs: one frame for each append, with the requests that it makes. */
export class FileAppends {
  constructor(private readonly deps: AppendDeps) {}

  /** All are written before the first is waited for, so that the disk takes them together. A failure of one is the answer only after all. */
  async append(batches: readonly AppendBatch[]): Promise<AppendOutcome[]> {
    const results = await Promise.allSettled(batches.map((batch) => this.appendOne(batch)));
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }

  private async appendOne(batch: AppendBatch): Promise<AppendOutcome> {
    const outcome = await this.deps.gate.write(batch.interaction_id, async (log) => {
      const requests = batch.requests?.filter(({ key }) => !log.requests.hasKey(key)) ?? [];
      const plan = planAppend(log.state, { ...batch, requests });
      if ('outcome' in plan) return plan.outcome;
      const before = log.state;
      const agents = log.agents.size;
      await (batch.end ? this.end(log, plan, batch.end) : log.commit(plan.state, plan.content));
      if (requests.length > 0) this.deps.index.addRequests(log);
      if (log.agents.size > agents) this.deps.index.addAgents(log);
      this.refresh(log, before);
      return 'written';
    });
    return outcome ?? 'fenced';
  }

  /** The end and the beginning that follows it are seen together, and a start after a crash between the two writes the latter. */
  private async end(log: InteractionLog, plan: WritePlan, end: InteractionEnd): Promise<void> {
    const { index, queue, projections } = this.deps;
    const chat = index.findChat(log.known.chat_id)!;
    const inQueue = log.isQueued;
    const state = inQueue ? { ...plan.state, turn: ++chat.turns } : plan.state;
    const show = await log.write(state, plan.content);
    const showNext = await queue.followUp(chat, log, end.completed_at);
    show();
    if (inQueue) chat.leaveQueue(log);
    showNext();
    if (inQueue) projections.refreshChat(chat.row.id);
  }

  private refresh(log: InteractionLog, before: InteractionLog['state']): void {
    const { projections } = this.deps;
    const { status, request_changes } = log.state;
    if (status !== before.status) projections.refreshInteraction(log);
    if (request_changes !== before.request_changes) projections.refreshRequests(log);
  }
}
