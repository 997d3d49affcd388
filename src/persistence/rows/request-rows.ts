import type { AnyViewer } from '../viewer.js';
import type { Cause, Decider } from '../../protocol/events.js';
import type { Json } from '../../protocol/json.js';
import type { RedactedCounts } from '../../protocol/redacted.js';
import type { InteractionRow } from './interaction-row.js';
import type { RequestKind, RequestStatus } from '../../protocol/wire/request.js';

/** Pending requests of one kind, of all tenants. */
export interface PendingCount {
  readonly kind: RequestKind;
  readonly count: number;
  /** When the oldest of them was made. */
  readonly oldest: string;
}

/** The author of a settlement. */
export interface Settled {
  readonly by: Decider;
  /** Why the server settled it; undefined if a user did. */
  readonly cause?: Cause;
  /** Redactions in its texts. */
  readonly redacted?: RedactedCounts;
}

/** The outcome of a request. */
export type Settlement = Settled &
  (
    | {
        readonly kind: 'approval';
        readonly approved: boolean;
        readonly reason?: string;
        readonly modified_input?: Json;
      }
    /** null: declined, timed out, or (`cancel`) the answer is no longer needed. */
    | { readonly kind: 'input'; readonly answer: string | null }
    | { readonly kind: 'tool'; readonly tool_output: string; readonly is_error: boolean }
  );

/** A request as its run writes it, in the same append as the record that announces it. */
export interface NewRequest {
  readonly id: string;
  /** The journal key of the waiting step; unique in its interaction. */
  readonly key: string;
  readonly kind: RequestKind;
  readonly agent_id: string;
  readonly created_at: string;
  /** null: the request never expires. */
  readonly expires_at: string | null;
  /** The fields of the request's event. */
  readonly event: Json;
}

export interface RequestRow extends NewRequest {
  readonly interaction_id: string;
  readonly chat_id: string;
  /** Internal, never shown to clients. */
  readonly chat_uid: string;
  /** Internal, never shown to clients. */
  readonly tenant_id: string;
  readonly status: RequestStatus;
  readonly settlement: Settlement | null;
  readonly settled_at: string | null;
}

export interface SettleRequest {
  readonly request_id: string;
  readonly tenant_id: string;
  readonly settlement: Settlement;
  /**
   * The current time. After `expires_at` only a settlement with the cause "timeout" is accepted,
   * unless `accept_expired` is set.
   */
  readonly at: string;
  readonly accept_expired?: boolean;
}

export type SettleOutcome =
  /** Settled by this call, which incremented `signals` of the interaction. */
  | { readonly outcome: 'settled'; readonly interaction: InteractionRow }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'settled_before' }
  | { readonly outcome: 'expired' };

export interface RequestPage {
  readonly viewer: AnyViewer;
  readonly status?: RequestStatus;
  readonly chat_uid?: string;
  readonly interaction_id?: string;
  readonly limit: number;
  /** The page ends with the row that makes its events and settlements larger than that. */
  readonly bytes?: number;
  /** For people: those whose texts can't be read are left out, and do not keep the others away. */
  readonly readable_only?: true;
  /** The last row of the previous page. */
  readonly after?: { readonly created_at: string; readonly id: string };
}
