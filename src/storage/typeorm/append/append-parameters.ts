import type { NewRequest } from '../../../persistence/rows/request-rows.js';
import { isProgress } from '../../../protocol/events.js';
import type { AppendBatch } from '../../../persistence/rows/append-rows.js';

/** `$1`…`$25` of `APPEND_GROUP`. */
export function toGroupParameters(batches: readonly AppendBatch[]): unknown[] {
  const written = batches.map(toJson);
  const rows = batches.map((batch, index) => toRow(batch, written[index]!));
  const columns = rows[0]!.map((_, column) => rows.map((row) => row[column]));
  return [...toRecordParameters(batches, written), ...columns];
}

/** `$1`…`$25` of `APPEND_ONE`. */
export function toParametersOfOne(batch: AppendBatch): unknown[] {
  const written = toJson(batch);
  return [...toRecordParameters([batch], [written]), ...toRow(batch, written)];
}

/** `$26`…`$33` of the statements with requests. */
export function toRequestParameters(batches: readonly AppendBatch[]): unknown[] {
  const asked = batches.flatMap(({ requests = [] }, index) =>
    requests.map((request): [number, NewRequest] => [index + 1, request]),
  );
  const requests = asked.map(([, request]) => request);
  return [
    asked.map(([batch]) => batch),
    requests.map((request) => request.id),
    requests.map((request) => request.key),
    requests.map((request) => request.kind),
    requests.map((request) => request.agent_id),
    requests.map((request) => request.created_at),
    requests.map((request) => request.expires_at),
    JSON.stringify(requests.map((request) => request.event)),
  ];
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

function toRecordParameters(
  batches: readonly AppendBatch[],
  written: readonly BatchJson[],
): unknown[] {
  const records = batches.flatMap((batch) => batch.records);
  return [
    batches.flatMap((batch, index) => batch.records.map(() => index + 1)),
    records.map((record) => record.seq),
    records.map((record) => record.agent_id),
    records.map((record) => record.key),
    records.map((record) => record.body.type),
    records.map((record) => record.at),
    `[${written.flatMap(({ bodies }) => bodies).join()}]`,
    `[${written.flatMap(({ hidden }) => hidden).join()}]`,
  ];
}

/** In the order of the batch's columns. */
function toRow(
  { interaction_id, epoch, records, status, usage, usage_by_model, end }: AppendBatch,
  { added_messages, bytes }: BatchJson,
): unknown[] {
  const [first] = records;
  return [
    interaction_id,
    epoch,
    first && first.seq - 1,
    first && first.seq + records.length - 1,
    end?.status ?? status,
    usage?.input_tokens,
    usage?.output_tokens,
    usage?.cached_tokens,
    usage?.reasoning_tokens,
    usage?.cost_usd,
    end?.completed_at,
    end?.error && JSON.stringify(end.error),
    added_messages,
    records.some(({ body }) => isProgress(body)),
    bytes,
    usage_by_model && JSON.stringify(usage_by_model),
    usage?.cache_write_tokens,
  ];
}
