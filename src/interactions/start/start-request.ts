import type { Principal } from '../../auth/principal.js';
import type { ClientTool } from '../../persistence/rows/interaction-row.js';
import type { StartInteraction } from '../../persistence/rows/start-rows.js';
import type { Budget } from '../../protocol/budget.js';
import type { ApprovalMode } from '../../protocol/chat-settings.js';
import type { Sampling } from '../../protocol/sampling.js';
import type { Thinking } from '../../protocol/thinking.js';
import type { RedactedCounts } from '../../protocol/redacted.js';

/** Options of a start or an edit; the chat, the agent or the server decides the rest. */
export interface RunOptions extends Sampling {
  readonly agent?: string;
  readonly model?: string;
  readonly max_iterations?: number;
  readonly on_disconnect?: 'cancel' | 'continue';
  readonly approval_mode?: ApprovalMode;
  readonly thinking?: Thinking;
  readonly client_tools?: readonly ClientTool[];
  readonly file_ids?: readonly string[];
  readonly budget?: Budget;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A message for a chat, with the options of its run. */
export interface NewMessage extends RunOptions {
  /** May be empty only beside a recording in `file_ids`. */
  readonly user_message: string;
  /** When the chat is busy; `reject` unless given. */
  readonly on_conflict?: StartInteraction['on_conflict'];
}

/** A message in place of an earlier one. */
export interface EditedMessage extends RunOptions {
  /** May be empty only beside a recording. */
  readonly new_user_message: string;
  /** When the chat is busy; `reject` unless given. */
  readonly on_conflict?: 'reject' | 'interrupt';
}

/** Headers of the request that matter for a start. */
export interface StartHeaders {
  readonly idempotency_key: string | undefined;
  /** The trace that the interaction is part of: W3C Trace Context. */
  readonly traceparent?: string | undefined;
}

/** A message that starts an interaction. */
export interface StartRequest extends StartHeaders {
  readonly caller: Principal;
  readonly chat_id: string;
  readonly user_message: string;
  /** Counts of redactions in the message. */
  readonly redacted?: RedactedCounts;
  /** The interaction that this one replaces. */
  readonly edited_from?: string;
  readonly body: RunOptions;
  readonly on_conflict: StartInteraction['on_conflict'] | undefined;
  /** The answer is spoken to the user: `InteractionSettings`. */
  readonly spoken?: true;
  /** The client doesn't read the stream: `on_disconnect` is `continue` by default. */
  readonly background: boolean;
}
