import type { LogRecord } from '../../../persistence/rows/log-record.js';
import type { NewRequest } from '../../../persistence/rows/request-rows.js';
import { isProgress } from '../../../protocol/progress.js';
import type { AppendBatch } from '../../../persistence/rows/store-rows.js';

/** `$1`…`$19` of `APPEND_GROUP`. */
export function toGroupParameters(batches: readonly AppendBatch[]): unknown[] {
  const rows = batches.map(toRow);
  const columns = rows[0]!.map((_, column) => rows.map((row) => row[column]));
  return [...toRecordParameters(batches), ...columns];
}

/** `$1`…`$19` of `APPEND_ONE`. */
export function toParametersOfOne(batch: AppendBatch): unknown[] {
  return [...toRecordParameters([batch]), ...toRow(batch)];
}

/** `$20`…`$27` of the statements with requests. */
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

function toRecordParameters(batches: readonly AppendBatch[]): unknown[] {
  const numbers: number[] = [];
  const records: LogRecord[] = [];
  batches.forEach((batch, index) => {
    for (const record of batch.records) {
      numbers.push(index + 1);
      records.push(record);
    }
  });
  return [
    numbers,
    records.map((record) => record.seq),
    records.map((record) => record.agent_id),
    records.map((record) => record.key),
    records.map((record) => record.body.type),
    records.map((record) => record.at),
    JSON.stringify(records.map((record) => record.body)),
    JSON.stringify(records.map((record) => record.hidden)),
  ];
}

/** In the order of the batch's columns. */
function toRow({ interaction_id, epoch, records, status, usage, end }: AppendBatch): unknown[] {
  const [first] = records;
  return [
    interaction_id,
    epoch,
    first && first.seq - 1,
    first && first.seq + records.length - 1,
    end?.status ?? status,
    usage?.input_tokens,
    usage?.output_tokens,
    end?.completed_at,
    end?.error && JSON.stringify(end.error),
    end && JSON.stringify(end.added_messages),
    records.some(({ body }) => isProgress(body)),
  ];
}
