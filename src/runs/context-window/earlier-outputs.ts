import { isRecordOf } from '../../persistence/rows/log-record.js';
import type { InteractionStore } from '../../persistence/interaction.store.js';
import type { RecordStore } from '../../persistence/record.store.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { Message } from '../../protocol/message.js';

interface OutputStores {
  readonly interactions: Pick<InteractionStore, 'findInteraction'>;
  readonly records: Pick<RecordStore, 'readRecordsOfTypes'>;
}

/**
 * Outputs of the calls that a chat's agents made, along the branch of one interaction; never of
 * another chat.
 */
export class EarlierOutputs {
  constructor(
    private readonly stores: OutputStores,
    private readonly options: {
      readonly interaction: InteractionRow;
      /** The conversation before the interaction. */
      readonly before: readonly Message[];
    },
  ) {}

  /** The output of a call, as far as the log keeps it; undefined without such a call or result. */
  async find(callId: string): Promise<string | undefined> {
    const { interaction, before } = this.options;
    const own = await this.read(interaction.id, callId);
    if (own !== undefined) return own;
    const told = toolMessage(before, callId);
    return told === undefined ? undefined : ((await this.readBefore(interaction, callId)) ?? told);
  }

  /**
   * Searches the interactions that this one continues, newest first, with one log in memory at a
   * time.
   */
  private async readBefore(
    { parent_id }: InteractionRow,
    callId: string,
  ): Promise<string | undefined> {
    let found: string | undefined;
    for (let id = parent_id; id !== null && found === undefined;) {
      found = await this.read(id, callId);
      id = (await this.stores.interactions.findInteraction(id))?.parent_id ?? null;
    }
    return found;
  }

  private async read(interactionId: string, callId: string): Promise<string | undefined> {
    const records = await this.stores.records.readRecordsOfTypes([interactionId], ['TOOL_RESULT']);
    const result = records.findLast(({ body }) => 'id' in body && body.id === callId);
    if (!result || !isRecordOf(result, 'TOOL_RESULT')) return undefined;
    return result.hidden?.whole ?? result.body.tool_output;
  }
}

function toolMessage(messages: readonly Message[], callId: string): string | undefined {
  const found = messages.find(
    (message) => message.role === 'tool' && message.tool_call_id === callId,
  );
  return found?.content ?? undefined;
}
