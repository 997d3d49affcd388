import { readLog } from '../../persistence/read-log.js';
import { ConversationLoader } from '../context-window/earlier-conversation.js';
import type { EarlierConversation } from '../context-window/earlier-conversation.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { Lease } from '../../persistence/rows/lease-rows.js';
import type { Started } from '../../persistence/rows/start-rows.js';
import { RESUME_REASONS } from '../scope/run-input.js';
import type { RunInput } from '../scope/run-input.js';
import type { RunServices } from '../scope/run-services.js';

const MINUTE_MS = 60_000;
const MAX_STARVED = 1_000;
/** Number of interactions of a chat whose calls are counted by CallRates. */
const MAX_INTERACTIONS = 20;

/** Reads a run's input from the store. */
export class RunLoader {
  private readonly starved = new Set<string>();

  constructor(private readonly services: RunServices) {}

  /** `started`: set if this process has just started the interaction. */
  async load(
    { interaction, lost_owner, parked, losses, alone_losses }: Lease,
    started?: Started,
  ): Promise<RunInput> {
    const { bus, records, conversations } = this.services;
    if (started) bus.open(interaction.id, interaction.epoch);
    else {
      bus.begin(interaction.id, interaction.epoch);
      await conversations.reopen(interaction);
    }
    const resumed = this.resumeReason(interaction, lost_owner);
    await this.countRecentCalls(interaction);
    return {
      interaction,
      records: started ? [started.first] : await readLog(records, interaction.id),
      ...(started?.is_new_chat ? { before: [] } : await this.loadConversation(interaction)),
      losses,
      alone_losses,
      ...(interaction.epoch > 1 && !parked && { resumed }),
    };
  }

  private loadConversation(interaction: InteractionRow): Promise<EarlierConversation> {
    const isCut = this.services.config.contextStrategy !== 'none';
    return new ConversationLoader(this.services, interaction).load(isCut);
  }

  private resumeReason({ id, epoch }: InteractionRow, lostOwner: string | null): string {
    const outage = this.services.spill.takeOutage(id, epoch);
    if (outage !== undefined) return RESUME_REASONS[outage];
    if (this.starved.delete(id)) return RESUME_REASONS.starved;
    return lostOwner === null ? RESUME_REASONS.stopped : RESUME_REASONS.lost;
  }

  /** A run ended because its lease was not renewed in time. */
  noteStarved(id: string): void {
    if (this.starved.size >= MAX_STARVED) this.starved.clear(); // others have resumed them
    this.starved.add(id);
  }

  /**
   * Lets CallRates count the calls of the chat's earlier interactions that ran in other processes.
   */
  private async countRecentCalls({ id, chat_uid }: InteractionRow): Promise<void> {
    const { interactions, records, rates, config, clock } = this.services;
    const limit = config.toolCallsPerMinute;
    if (limit === 0 || !config.redisUrl) return; // a single process has seen all calls
    const since = clock.now().getTime() - MINUTE_MS;
    const page = { chat_uid, superseded: true, limit: MAX_INTERACTIONS };
    const recent = (await interactions.listInteractions(page)).filter(
      (row) => row.id !== id && row.completed_at !== null && Date.parse(row.completed_at) > since,
    );
    if (recent.length === 0) return;
    const ids = recent.map((row) => row.id);
    const calls = (await records.readRecordsOfTypes(ids, ['TOOL_CALL'])).map((record) => ({
      chat_uid,
      use_key: `${record.interaction_id}/${record.key}`,
      at: Date.parse(record.at),
    }));
    for (const call of calls.toSorted((a, b) => a.at - b.at)) rates.admit(call, limit);
  }
}
