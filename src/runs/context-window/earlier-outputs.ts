import type { InteractionStore } from '../../persistence/interaction.store.js';
import type { RecordStore } from '../../persistence/record.store.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { Message } from '../../protocol/message.js';
import { firstMessages } from './earlier-conversation.js';

/**
 * Outputs of the calls that a chat's agents made, along the branch of one interaction; never of
 * another chat.
 */
export class EarlierOutputs {
  constructor(
    private readonly stores: {
      readonly records: Pick<RecordStore, 'findToolResult'>;
      readonly interactions: Pick<
        InteractionStore,
        'findAddedMessages' | 'getPreviousState' | 'listBegun'
      >;
    },
    private readonly options: {
      readonly interaction: InteractionRow;
      /** The conversation before the interaction; only its end unless `isWhole`. */
      readonly before: readonly Message[];
      readonly isWhole: boolean;
    },
  ) {}

  /**
   * The output of a call of this interaction, or of one that the conversation before it shows, as
   * far as the log keeps it.
   */
  async find(callId: string): Promise<string | undefined> {
    const { interaction, before, isWhole } = this.options;
    const result = await this.stores.records.findToolResult(interaction.id, callId);
    const output = result && (result.hidden?.whole ?? result.body.tool_output);
    if (result?.interaction_id === interaction.id) return output;
    const told =
      toolMessage(before, callId) ??
      (isWhole ? undefined : toolMessage(await this.earlier(result?.interaction_id), callId));
    return told === undefined ? undefined : (output ?? told);
  }

  /** The messages that this interaction added; without one, those with which the chat began. */
  private async earlier(interactionId: string | undefined): Promise<readonly Message[]> {
    const { interactions } = this.stores;
    if (interactionId === undefined)
      return firstMessages(interactions, this.options.interaction.chat_uid);
    return (await interactions.findAddedMessages([interactionId])).get(interactionId) ?? [];
  }
}

function toolMessage(messages: readonly Message[], callId: string): string | undefined {
  const found = messages.find(
    (message) => message.role === 'tool' && message.tool_call_id === callId,
  );
  return found?.content ?? undefined;
}
