import type { Json } from '../../protocol/json.js';
import type { InteractionSettings, NewChat } from '../../persistence/rows/store-rows.js';

/** What never changes about an interaction: the first line of its log. */
export interface LogStart {
  readonly id: string;
  readonly chat_id: string;
  /** Numbers the interactions of a chat 1, 2, 3… in the order in which they were asked for. */
  readonly ordinal: number;
  readonly created_at: string;
  readonly agent: string;
  readonly agent_id: string;
  readonly model: string;
  readonly settings: InteractionSettings;
  readonly edited_from: string | null;
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
  readonly metadata: Json;
  /** The chat, if this start created it. */
  readonly chat: NewChat | null;
  /** Given for one that was queued. */
  readonly queued?: QueuedStart;
}

export interface QueuedStart {
  /** Others have it in record 1 only. */
  readonly user_message: string;
  /** The interaction that is to be cancelled for this one: an open store sees to it that it is. */
  readonly interrupts: string | null;
}
