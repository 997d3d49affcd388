import type { RecordStore } from '../../persistence/record.store.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { Message } from '../../protocol/message.js';

/**
 * Outputs of the calls that a chat's agents made, along the branch of one interaction; never of
 * another chat.
 */
export class EarlierOutputs {
  constructor(
    private readonly stores: { readonly records: Pick<RecordStore, 'findToolResult'> },
    private readonly options: {
      readonly interaction: InteractionRow;
      /** The conversation before the interaction. */
      readonly before: readonly Message[];
    },
  ) {}

  /**
   * The output of a call of this interaction, or of one that the conversation before it shows, as
   * far as the log keeps it.
   */
  async find(callId: string): Promise<string | undefined> {
    const { interaction, before } = this.options;
    const result = await this.stores.records.findToolResult(interaction.id, callId);
    const output = result && (result.hidden?.whole ?? result.body.tool_output);
    if (result?.interaction_id === interaction.id) return output;
    const told = toolMessage(before, callId);
    return told === undefined ? undefined : (output ?? told);
  }
}

function toolMessage(messages: readonly Message[], callId: string): string | undefined {
  const found = messages.find(
    (message) => message.role === 'tool' && message.tool_call_id === callId,
  );
  return found?.content ?? undefined;
}
