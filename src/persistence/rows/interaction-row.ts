import type { Budget } from '../../protocol/budget.js';
import type { ApprovalMode } from '../../protocol/chat-settings.js';
import type { InteractionError, InteractionStatus, Usage } from '../../protocol/interaction.js';
import type { Json } from '../../protocol/json.js';
import type { RedactedCounts } from '../../protocol/redacted.js';
import type { Sampling } from '../../protocol/sampling.js';
import type { Thinking } from '../../protocol/thinking.js';
import type { AttachedFile } from '../../protocol/wire/file.js';

/** The settings of a start, saved so that every run of the interaction uses the same ones. */
export interface InteractionSettings extends Sampling {
  readonly max_iterations: number;
  readonly on_disconnect: 'cancel' | 'continue';
  readonly approval_mode: ApprovalMode;
  readonly client_tools: readonly ClientTool[];
  readonly budget?: Budget;
  readonly thinking?: Thinking;
  /** That came with the user's message. */
  readonly files?: readonly AttachedFile[];
  /** The value in `ChatSettings` when it started. */
  readonly system_prompt?: string;
  readonly context_messages?: number;
  /** Redactions in the user's message. */
  readonly redacted?: RedactedCounts;
  /** W3C trace context of the request that started it: the interaction is part of this trace. */
  readonly traceparent?: string;
  /** Its answer is spoken while it is written: the run ends when it has been played. */
  readonly spoken?: true;
  /** It came with a session log, which can't be verified: it never runs. */
  readonly imported?: true;
}

/** A tool that the caller declares and runs itself; `input_schema` is JSON Schema of an object. */
export interface ClientTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Json;
}

/** A saved interaction; its events are read from its records. */
export interface InteractionRow {
  readonly id: string;
  /** Internal, never shown to clients. */
  readonly chat_uid: string;
  readonly chat_id: string;
  /** Internal, never shown to clients. */
  readonly tenant_id: string;
  /** The id of the user who started it. */
  readonly started_by: string;
  readonly parent_id: string | null;
  readonly status: InteractionStatus;
  readonly user_message: string;
  readonly agent: string;
  readonly model: string;
  readonly settings: InteractionSettings;
  readonly usage: Usage;
  readonly error: InteractionError | null;
  readonly created_at: string;
  readonly completed_at: string | null;
  readonly superseded_at: string | null;
  readonly last_seq: number;
  readonly metadata: Json;
  /** Incremented by each run; a writer with an older epoch is fenced off (I6). */
  readonly epoch: number;
  /** The root agent, author of record 1. */
  readonly agent_id: string;
  /** The interaction that this one edits. */
  readonly edited_from: string | null;
  /** Incremented by each decision, cancel and intervention, and when what it waits for is there. */
  readonly signals: number;
  /** The reason of a requested cancel; null if none was requested. */
  readonly cancel_reason: string | null;
  /** The user who requested the cancel; null if the server did, or none was requested. */
  readonly cancelled_by: string | null;
  /** While it is parked: the requirement that the server lacks, such as `agent:reviewer`. */
  readonly waits_for: string | null;
}

/** Names an interaction for a change that a client asks for: in another tenant, it is not there. */
export type InteractionKey = Pick<InteractionRow, 'id' | 'tenant_id'>;
