import type { InteractionStatus, Visibility } from '../../protocol/interaction.js';

/** The state of a chat at one time: what changes of it besides the content of its logs. */
export interface ChatState {
  readonly uid: string;
  readonly id: string;
  readonly tenant_id: string;
  readonly owner: string;
  readonly visibility: Visibility;
  readonly title: string | null;
  readonly updated_at: string;
  readonly head_interaction_id: string | null;
  readonly active_interaction_id: string | null;
  /** Status of the active interaction, else QUEUED if any waits, else of the head; null: none. */
  readonly status: InteractionStatus | null;
  /** In the order of the queue. */
  readonly queued: readonly string[];
  /** How often each of them was edited or moved. */
  readonly queue_changes: readonly number[];
  /** Pending requests, oldest first; at most `MAX_PENDING`. */
  readonly request_ids: readonly string[];
}

/** Pending requests of one chat in its state. */
export const MAX_PENDING = 200;

/** The statuses of the active interaction and the head; undefined: there is none. */
export function statusOfChat(
  active: InteractionStatus | undefined,
  queued: readonly string[],
  head: InteractionStatus | undefined,
): InteractionStatus | null {
  return active ?? (queued.length > 0 ? 'QUEUED' : (head ?? null));
}
