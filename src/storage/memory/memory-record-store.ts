import { Subject } from 'rxjs';
import { EVENT_OVERHEAD, RecordStore } from '../../persistence/record.store.js';
import type { EventLimits, EventPage, RecordPage } from '../../persistence/record.store.js';
import { StoreRefused } from '../../persistence/store-refused.error.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type {
  AppendBatch,
  AppendOutcome,
  InteractionEnd,
} from '../../persistence/rows/append-rows.js';
import { completionId } from '../../persistence/rows/webhook-rows.js';
import type { NewWebhook } from '../../persistence/rows/webhook-rows.js';
import type { RecordType } from '../../protocol/events.js';
import type { AppendPlan } from './core/plan-append.js';
import { planAppend } from './core/plan-append.js';
import type { StoreCore } from './core/store-core.js';
import type { StoredChat } from './core/stored-chat.js';
import type { StoredInteraction } from './core/stored-interaction.js';

type WritePlan = Exclude<AppendPlan, { outcome: AppendOutcome }>;

const NO_EVENTS: EventPage = { records: [], bytes: 0, has_more: false };

export class MemoryRecordStore extends RecordStore {
  private readonly promoted = new Subject<string>();

  constructor(private readonly core: StoreCore) {
    super();
  }

  onPromoted(listener: (interactionId: string) => void): () => void {
    const subscription = this.promoted.subscribe(listener);
    return () => subscription.unsubscribe();
  }

  /**
   * All batches are written before the first is awaited, so that the disk handles them together. A
   * failure is thrown after all have finished.
   */
  async append(batches: readonly AppendBatch[]): Promise<AppendOutcome[]> {
    const results = await Promise.allSettled(batches.map((batch) => this.appendOne(batch)));
    return results.map((result) => {
      return result.status === 'rejected' ? refusal(result.reason) : result.value;
    });
  }

  async readRecords(interactionId: string, page: RecordPage): Promise<LogRecord[]> {
    const interaction = this.core.index.findInteraction(interactionId);
    if (!interaction || page.after >= interaction.state.last_seq || page.limit <= 0) return [];
    return (await this.core.read(interaction, ({ log }) => log.readRecords(page))) ?? [];
  }

  async readEvents(
    interactionId: string,
    page: { after: number } & EventLimits,
  ): Promise<EventPage> {
    const interaction = this.core.index.findInteraction(interactionId);
    if (!interaction || page.after >= interaction.state.last_seq) return NO_EVENTS;
    return (await this.core.read(interaction, ({ log }) => log.readEvents(page))) ?? NO_EVENTS;
  }

  async readEventsOfTypes(
    interactionIds: readonly string[],
    types: readonly RecordType[],
    bytes: number,
  ): Promise<Map<string, EventPage>> {
    const limit = Math.ceil(bytes / EVENT_OVERHEAD) + 1;
    const found = await this.core.readEach(
      interactionIds.map((id) => this.core.index.findInteraction(id)),
      ({ log }) => log.readEvents({ after: 0, types, limit, bytes }),
    );
    const pages = interactionIds.map((id, i) => [id, found[i] ?? NO_EVENTS] as const);
    return new Map(pages.filter(([, { records }]) => records.length > 0));
  }

  async findToolResult(
    interactionId: string,
    callId: string,
  ): Promise<LogRecord<'TOOL_RESULT'> | undefined> {
    const first = this.core.index.findInteraction(interactionId);
    const chat = first && this.core.index.findChat(first.known.chat_uid);
    for (const interaction of chat?.walkBranch(interactionId) ?? []) {
      const found = await this.core.read(interaction, ({ log }) => log.findToolResult(callId));
      if (found) return found;
    }
    return undefined;
  }

  async readRecordsOfTypes(
    interactionIds: readonly string[],
    types: readonly RecordType[],
  ): Promise<LogRecord[]> {
    const found = await this.core.readEach(
      interactionIds.map((id) => this.core.index.findInteraction(id)),
      ({ log }) => log.readRecordsOfTypes(types),
    );
    return found.flatMap((records) => records ?? []);
  }

  async readLastSeqs(interactionIds: readonly string[]): Promise<Map<string, number>> {
    const lasts = new Map<string, number>();
    for (const id of interactionIds) {
      const interaction = this.core.index.findInteraction(id);
      if (interaction) lasts.set(id, interaction.state.last_seq);
    }
    return lasts;
  }

  ping(): Promise<void> {
    return this.core.journal.ping();
  }

  private async appendOne(batch: AppendBatch): Promise<AppendOutcome> {
    const outcome = await this.core.change(batch.interaction_id, async (interaction, chat) => {
      const isNew = ({ key }: { key: string }) =>
        interaction.requests.every((each) => each.key !== key);
      const requests = batch.requests?.filter(isNew) ?? [];
      const before = interaction.state;
      const plan = planAppend(before, { ...batch, requests });
      if ('outcome' in plan) return plan.outcome;
      const webhooks = batch.announce ? announced({ ...batch, requests }, plan) : [];
      const showWebhooks = await this.core.webhooks.prepare(webhooks);
      if (batch.end) await this.end(interaction, chat, { plan, end: batch.end });
      else await interaction.commit(plan.state, plan.content);
      showWebhooks();
      if (requests.length > 0) this.core.index.addRequests(interaction);
      if (plan.content.records.some(({ body }) => body.type === 'AGENT_STARTED'))
        this.core.index.addAgents(interaction);
      const { status, request_changes } = interaction.state;
      chat.journal.refresh(chat.uid, {
        ...(status !== before.status && { interactions: [interaction.id] }),
        requests: request_changes !== before.request_changes,
      });
      return 'written';
    });
    return outcome ?? 'fenced';
  }

  /**
   * The end is shown together with the beginning of the next interaction. After a crash between the
   * two writes, the next start writes the beginning.
   */
  private async end(
    interaction: StoredInteraction,
    chat: StoredChat,
    { plan, end }: { plan: WritePlan; end: InteractionEnd },
  ): Promise<void> {
    const { isQueued } = interaction;
    const branch_version = isQueued ? ++chat.branchVersion : plan.state.branch_version;
    const show = await interaction.write({ ...plan.state, branch_version }, plan.content);
    const showNext = await this.core.followUp(chat, interaction, end.completed_at);
    show();
    if (isQueued) chat.leaveQueue(interaction);
    const isHead = chat.noteEnd(interaction, end.completed_at, end.added_messages);
    const next = showNext();
    if (next) this.promoted.next(next);
    if (isQueued || isHead) chat.journal.refresh(chat.uid, { chat: true });
  }
}

/** @param batch with new requests only */
function announced({ interaction_id, requests = [], end }: AppendBatch, { state }: WritePlan) {
  const opened = requests.map(({ id, created_at }): NewWebhook => {
    return { id, type: 'request_opened', interaction_id, created_at };
  });
  if (!end) return opened;
  const id = completionId(interaction_id, state.last_seq);
  const created_at = end.completed_at;
  return [...opened, { id, type: 'interaction_complete', interaction_id, created_at } as const];
}

/** @throws the reason, if it is a fault of the disk */
function refusal(reason: unknown): StoreRefused {
  const isValueAtFault = reason instanceof TypeError || reason instanceof RangeError;
  const refused = isValueAtFault ? new StoreRefused(reason) : StoreRefused.from(reason);
  if (!refused) throw reason;
  return refused;
}
