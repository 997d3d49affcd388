/** Metric of `/metrics`: docs/metrics.md is made from these. */
export interface Definition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly unit?: 'bytes' | 'seconds' | 'tokens' | 'US dollars';
  /** Names of labels with what their values mean. All have few values. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly buckets?: readonly number[];
}

const MODEL =
  'a model that the configuration or an agent names; `other`: one that only clients name';
const KIND = '`approval`, `input`, `tool` (a call that a client runs)';
const CODE = 'a [code](problems.md); `other`: one of an agent of yours';

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
const FAST = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export const METRICS = {
  parley_runs: {
    type: 'gauge',
    help: 'Runs of this process.',
    labels: {
      state: '`working`; `waiting` for people, in memory; `queued`: without a free slot',
    },
  },
  parley_queue_length: {
    type: 'gauge',
    help: 'Interactions that wait for a free slot: in Redis, if configured, and in this process.',
  },
  parley_queue_oldest_seconds: {
    type: 'gauge',
    help: 'Time that the oldest of these has waited.',
    unit: 'seconds',
  },
  parley_streams: { type: 'gauge', help: 'Open event streams, which are readers.' },
  parley_requests_pending: {
    type: 'gauge',
    help: 'Requests that wait for a person or a client, of all processes, up to 10,000. Read from the store at most every 15 seconds; missing while it does not answer.',
    labels: { kind: KIND },
  },
  parley_requests_oldest_seconds: {
    type: 'gauge',
    help: 'Age of the oldest of these.',
    unit: 'seconds',
    labels: { kind: KIND },
  },
  parley_request_wait_seconds: {
    type: 'histogram',
    help: 'Time from a request to its settlement, by a person, a client, or because it expired.',
    unit: 'seconds',
    labels: { kind: KIND },
    buckets: [1, 5, 15, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, DAY, 3 * DAY, 7 * DAY],
  },
  parley_interactions_started_total: {
    type: 'counter',
    help: 'Interactions that were started through this process.',
  },
  parley_interactions_ended_total: {
    type: 'counter',
    help: 'Interactions that this process ended.',
    labels: { status: '`COMPLETED`, `FAILED`, `CANCELLED`' },
  },
  parley_interactions_failed_total: {
    type: 'counter',
    help: 'Interactions that this process ended as FAILED.',
    labels: { code: CODE },
  },
  parley_takeovers_total: {
    type: 'counter',
    help: 'Interactions that this process took over after their run was lost with its process.',
  },
  parley_time_to_first_delta_seconds: {
    type: 'histogram',
    help: 'Time from the first record of an interaction to its first text for readers.',
    unit: 'seconds',
    buckets: [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300],
  },
  parley_model_turn_seconds: {
    type: 'histogram',
    help: 'Duration of model turns that succeeded, with their retries.',
    unit: 'seconds',
    labels: { model: MODEL },
    buckets: [0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320],
  },
  parley_model_failures_total: {
    type: 'counter',
    help: 'Requests to models that failed, also those that were sent again.',
    labels: { model: MODEL, code: 'a [code](problems.md) that begins with `model_`; `other`' },
  },
  parley_model_retries_total: {
    type: 'counter',
    help: 'Failed requests after which the same model was asked again.',
    labels: { model: MODEL },
  },
  parley_model_fallbacks_total: {
    type: 'counter',
    help: 'Failed requests after which the next model was asked.',
  },
  parley_tokens_total: {
    type: 'counter',
    help: 'Tokens of model turns, as counted by their providers.',
    unit: 'tokens',
    labels: { model: MODEL, direction: '`input`, `output`' },
  },
  parley_cached_tokens_total: {
    type: 'counter',
    help: 'Of the input tokens, those that providers read from their caches.',
    unit: 'tokens',
  },
  parley_cache_write_tokens_total: {
    type: 'counter',
    help: 'Of the input tokens, those that providers wrote to their caches, where they say so.',
    unit: 'tokens',
  },
  parley_reasoning_tokens_total: {
    type: 'counter',
    help: 'Of the output tokens, those that models thought with, where their providers say so.',
    unit: 'tokens',
  },
  parley_cost_usd_total: {
    type: 'counter',
    help: 'Cost of model turns, where the price of the model is known.',
    unit: 'US dollars',
    labels: { model: MODEL },
  },
  parley_tool_calls_total: {
    type: 'counter',
    help: 'Tool calls with a result, also those that were refused.',
    labels: { outcome: '`ok`, `error`' },
  },
  parley_tool_seconds: {
    type: 'histogram',
    help: 'Duration of tool calls that ran, with the time that tools wait for people or child agents.',
    unit: 'seconds',
    labels: { tool: 'its name; `other`: a tool of a client, or one beyond 200' },
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR],
  },
  parley_guardrail_trips_total: {
    type: 'counter',
    help: 'Times that a guardrail stopped a run or failed, by the guardrail.',
    labels: { guardrail: 'its name; `other`: one beyond 200' },
  },
  parley_appends_total: {
    type: 'counter',
    help: 'Attempted commits, each for a group of interactions. A failed one is tried again.',
    labels: { outcome: '`written`, `failed`' },
  },
  parley_append_group_size: {
    type: 'histogram',
    help: 'Interactions per commit; grows with the load.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
  },
  parley_store_commit_seconds: {
    type: 'histogram',
    help: 'Duration of a commit, successful or not.',
    unit: 'seconds',
    buckets: FAST,
  },
  parley_records_total: { type: 'counter', help: 'Committed records.' },
  parley_store_up: { type: 'gauge', help: '1 while the store answers and accepts writes, else 0.' },
  parley_dependency_up: {
    type: 'gauge',
    help: '1 while a dependency is available without which the server works for a while, else 0.',
    labels: {
      dependency:
        '`redis`, `token issuer`, `webhook receiver`, `tools of <MCP server>`: those that are configured',
    },
  },
  parley_spilled_interactions: {
    type: 'gauge',
    help: 'Interactions with unsaved records in DATA_DIR/spill.',
  },
  parley_http_request_seconds: {
    type: 'histogram',
    help: 'Time from an HTTP request to the head of its response; a stream or a download goes on after it.',
    unit: 'seconds',
    labels: {
      route: 'its pattern, such as `GET /chats/:chat_id`; `other`: refused before it had a route',
      status: '`2xx`, `3xx`, `4xx`, `5xx`',
    },
    buckets: [...FAST, 10, 30, 60],
  },
  parley_audio_requests_total: {
    type: 'counter',
    help: 'Requests to the endpoint for audio; one for each sentence that is spoken of an answer. Those that their client gave up are not counted.',
    labels: { kind: '`transcription`, `speech`', outcome: '`ok`, `failed`' },
  },
  parley_audio_transcribed_seconds_total: {
    type: 'counter',
    help: 'Audio that was transcribed, as far as the endpoint or a WAV file tells its length.',
    unit: 'seconds',
  },
  parley_quota_refusals_total: {
    type: 'counter',
    help: 'Requests that a quota of their tenant refused.',
    labels: { quota: 'its variable, such as `QUOTA_RUNS`' },
  },
  parley_files_added_total: { type: 'counter', help: 'Files added by people and agents.' },
  parley_file_bytes_added_total: {
    type: 'counter',
    help: 'Bytes of these files.',
    unit: 'bytes',
  },
  parley_file_store_failures_total: {
    type: 'counter',
    help: 'Failures to reach, read or write the disk or bucket of files.',
  },
  parley_files_swept_total: {
    type: 'counter',
    help: 'Bytes without a file that were removed, by their number.',
  },
  parley_file_purges_pending: {
    type: 'gauge',
    help: 'Deleted files whose bytes could not be removed yet, up to 200.',
  },
  parley_webhook_deliveries_total: {
    type: 'counter',
    help: 'Attempts to deliver webhooks, and webhooks that were dropped.',
    labels: { outcome: '`delivered`, `retried`, `failed` (given up), `dropped` (too many)' },
  },
  parley_webhooks_waiting: {
    type: 'gauge',
    help: 'Webhooks that are to be delivered, by all processes.',
  },
  parley_spans_dropped_total: {
    type: 'counter',
    help: 'Spans of traces that were not exported.',
    labels: {
      reason:
        '`not_exported`: the collector is away or refuses them; `rejected`: it takes a request without them; `queue_full`: it takes them too slowly; `not_read`: the log of a run was not read, which counts as one',
    },
  },
  parley_event_loop_stalls_total: {
    type: 'counter',
    help: 'Times that the event loop was blocked for a second or longer.',
  },
  parley_event_loop_stalled_seconds_total: {
    type: 'counter',
    help: 'Duration of these stalls.',
    unit: 'seconds',
  },
} as const satisfies Readonly<Record<string, Definition>>;
