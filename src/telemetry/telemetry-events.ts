import type { RecordBody } from '../protocol/events.js';
import type { InteractionError } from '../protocol/interaction.js';

/** An interaction, as listeners know it. */
export interface InteractionRef {
  readonly id: string;
  readonly chat_id: string;
  readonly tenant_id: string;
  readonly agent: string;
  readonly agent_id: string;
  readonly created_at: string;
  readonly user_message: string;
  readonly settings: { readonly traceparent?: string };
}

/** Durable append to an interaction. */
export interface WrittenBatch {
  readonly records: readonly { readonly body: RecordBody }[];
  readonly end?: { readonly error: InteractionError | null };
}

/**
 * `delivered`; `retried`: an attempt failed, another follows; `failed`: it was given up; `dropped`:
 * there were too many entries.
 */
export type WebhookOutcome = 'delivered' | 'retried' | 'failed' | 'dropped';

/**
 * `queue_full`: more than may wait for the collector; `not_exported`: the collector did not take
 * them; `not_read`: the spans of a run, which count as one, as its log was not read.
 */
export type SpanDropReason = 'queue_full' | 'not_exported' | 'rejected' | 'not_read';

/** The events of `Telemetry` with their payloads. All times are in milliseconds. */
export interface TelemetryEvents {
  /** The start is durable; it was made by this process. */
  interaction_started: { readonly interaction: InteractionRef };
  /** A run of this process is over: its interaction has ended, is parked or goes on elsewhere. */
  run_ended: { readonly interaction: InteractionRef; readonly epoch: number };
  /** This process has the lease of an interaction whose last run was lost. */
  run_taken_over: { readonly interaction: InteractionRef };
  /** The first text that readers see of an interaction. `wait_ms`: since its first record. */
  first_delta: { readonly wait_ms: number };
  /** A request to a model failed; it may be sent again. */
  model_failed: { readonly code: string; readonly model: string };
  /** The same model is asked again. */
  model_retried: { readonly model: string };
  /** The next model of the chain is asked. */
  model_fell_back: { readonly model: string };
  /** A tool has returned. `tool`: undefined if a client ran it. */
  tool_returned: { readonly tool: string | undefined; readonly duration_ms: number };
  guardrail_tripped: { readonly guardrail: string };
  /** A request was settled: by a person, by a client, or because it expired. */
  request_settled: { readonly kind: string; readonly wait_ms: number };
  /** A commit. `batches`: without those that were fenced off or refused. */
  append_written: { readonly batches: readonly WrittenBatch[]; readonly duration_ms: number };
  append_failed: { readonly duration_ms: number };
  /** The head of a response was sent. `route`: its pattern; undefined if no route took it. */
  http_answered: {
    readonly route: string | undefined;
    readonly status: number;
    readonly duration_ms: number;
  };
  quota_refused: { readonly quota: string };
  /** A request to the endpoint for audio. `audio_ms`: of what was transcribed, if it is known. */
  audio_asked: {
    readonly kind: 'transcription' | 'speech';
    readonly has_failed: boolean;
    readonly audio_ms?: number;
  };
  /** A file was added, by a person or an agent. */
  file_added: { readonly size_bytes: number };
  /** The store of the bytes could not be reached, read or written. */
  file_store_failed: undefined;
  /** Bytes without a row were removed. */
  file_swept: undefined;
  /** Deleted files whose bytes are still to be removed, as far as the last look goes. */
  file_purges_pending: { readonly count: number };
  webhook_ended: { readonly outcome: WebhookOutcome; readonly count: number };
  webhooks_waiting: { readonly count: number };
  /** Spans are not exported, and never will be. */
  spans_dropped: { readonly reason: SpanDropReason; readonly count: number };
}
