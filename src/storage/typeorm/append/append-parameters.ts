import type { NewRequest } from '../../../persistence/rows/request-rows.js';
import { isProgress } from '../../../protocol/events.js';
import type { AppendBatch } from '../../../persistence/rows/append-rows.js';

/** The values of `APPEND_GROUP`. */
export function toGroupValues(batches: readonly AppendBatch[]) {
  const written = batches.map(toJson);
  const rows = batches.map((batch, index) => toRow(batch, written[index]!));
  return { ...toRecordValues(batches, written), ...toColumns(rows) };
}

/** The values of `APPEND_ONE`. */
export function toValuesOfOne(batch: AppendBatch) {
  const written = toJson(batch);
  return { ...toRecordValues([batch], [written]), ...toRow(batch, written) };
}

/** The further values of the statements with requests. */
export function toRequestValues(batches: readonly AppendBatch[]) {
  const asked = batches.flatMap(({ requests = [] }, index) =>
    requests.map((request): [number, NewRequest] => [index + 1, request]),
  );
  const requests = asked.map(([, request]) => request);
  return {
    request_batches: asked.map(([batch]) => batch),
    request_ids: requests.map((request) => request.id),
    request_keys: requests.map((request) => request.key),
    request_kinds: requests.map((request) => request.kind),
    request_agent_ids: requests.map((request) => request.agent_id),
    request_times: requests.map((request) => request.created_at),
    request_expiries: requests.map((request) => request.expires_at),
    request_events: JSON.stringify(requests.map((request) => request.event)),
  };
}

/** The JSON of a batch, and its length in bytes, that of its requests included. */
interface BatchJson {
  readonly bodies: readonly string[];
  readonly hidden: readonly string[];
  readonly added_messages: string | undefined;
  readonly bytes: number;
}

function toJson({ records, requests = [], end }: AppendBatch): BatchJson {
  const bodies = records.map(({ body }) => JSON.stringify(body));
  const hidden = records.map((record) => JSON.stringify(record.hidden ?? null));
  const added_messages = end && JSON.stringify(end.added_messages);
  const events = requests.map(({ event }) => JSON.stringify(event));
  const all = [...bodies, ...hidden, ...events, added_messages ?? ''];
  const bytes = all.reduce((total, json) => total + Buffer.byteLength(json), 0);
  return { bodies, hidden, added_messages, bytes };
}

function toRecordValues(batches: readonly AppendBatch[], written: readonly BatchJson[]) {
  const records = batches.flatMap((batch) => batch.records);
  return {
    batches: batches.flatMap((batch, index) => batch.records.map(() => index + 1)),
    seqs: records.map((record) => record.seq),
    agent_ids: records.map((record) => record.agent_id),
    keys: records.map((record) => record.key),
    types: records.map((record) => record.body.type),
    times: records.map((record) => record.at),
    bodies: `[${written.flatMap(({ bodies }) => bodies).join()}]`,
    hidden: `[${written.flatMap(({ hidden }) => hidden).join()}]`,
  };
}

function toRow(
  { interaction_id, epoch, records, status, usage, usage_by_model, end }: AppendBatch,
  { added_messages, bytes }: BatchJson,
) {
  const [first] = records;
  return {
    id: interaction_id,
    epoch,
    after_seq: first && first.seq - 1,
    last_seq: first && first.seq + records.length - 1,
    status: end?.status ?? status,
    input_tokens: usage?.input_tokens,
    output_tokens: usage?.output_tokens,
    cached_tokens: usage?.cached_tokens,
    cache_write_tokens: usage?.cache_write_tokens,
    reasoning_tokens: usage?.reasoning_tokens,
    cost_usd: usage?.cost_usd,
    usage_by_model: usage_by_model && JSON.stringify(usage_by_model),
    completed_at: end?.completed_at,
    error: end?.error && JSON.stringify(end.error),
    added_messages,
    progressed: records.some(({ body }) => isProgress(body)),
    bytes,
  };
}

/** The array of each column. */
function toColumns<R extends object>(rows: readonly R[]): Record<keyof R, unknown[]> {
  const names = Object.keys(rows[0]!) as (keyof R)[];
  const columns = names.map((name) => [name, rows.map((row) => row[name])]);
  return Object.fromEntries(columns) as Record<keyof R, unknown[]>;
}
