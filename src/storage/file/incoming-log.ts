import type { ArchivedEnd, ArchivedInteraction } from '../../persistence/chat-archive.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RequestRow } from '../../persistence/rows/request-rows.js';
import type { ChatDirectory } from './chat-directory.js';
import { InteractionLog } from './interaction-log.js';
import type { LogStart } from './log-start.js';
import { startedState } from './log-transitions.js';

interface Beginning {
  readonly row: ArchivedInteraction;
  readonly ordinal: number;
  /** Record 1 and what follows it. */
  readonly records: readonly LogRecord[];
}

/** Writes the beginning of the log of an interaction that is brought in. */
export async function beginIncomingLog(
  directory: ChatDirectory,
  { row, ordinal, records }: Beginning,
): Promise<IncomingLog> {
  const [first, ...others] = records;
  const state = startedState(null, { parent_id: row.parent_id, turn: ordinal });
  const start = toStart(row, ordinal);
  const log = new IncomingLog(
    await InteractionLog.create(directory, { start, state, ...(first && { first }) }),
  );
  await log.append(others);
  return log;
}

/** The log of an interaction that is brought in: begun like any other, and then written to its end. */
export class IncomingLog {
  constructor(readonly log: InteractionLog) {}

  async append(records: readonly LogRecord[]): Promise<void> {
    const last = records.at(-1);
    if (last) await this.log.commit({ ...this.log.state, last_seq: last.seq }, { records });
  }

  async end(row: ArchivedInteraction, { requests, added_messages }: ArchivedEnd): Promise<void> {
    for (const request of requests) await this.ask(request);
    const { status, epoch, parent_id, usage, error, completed_at, last_seq } = row;
    const { state } = this.log;
    const request_changes = state.request_changes + (requests.length > 0 ? 1 : 0);
    const queue_rank = row.begun ? null : 0;
    this.log.supersededAt = row.superseded_at;
    await this.log.commit(
      {
        ...{ ...state, status, epoch, parent_id, usage, error, completed_at, last_seq },
        ...{ request_changes, queue_rank },
      },
      { records: [], added_messages },
    );
  }

  private async ask({ settlement, settled_at, ...request }: RequestRow): Promise<void> {
    const { id, key, kind, agent_id, created_at, expires_at, event } = request;
    const settled = settlement && settled_at ? { id, settlement, settled_at } : undefined;
    const { state } = this.log;
    await this.log.commit(
      { ...state, request_changes: state.request_changes + (settled ? 2 : 1) },
      {
        records: [],
        requests: [{ id, key, kind, agent_id, created_at, expires_at, event }],
        ...(settled && { settled }),
      },
    );
  }
}

function toStart(row: ArchivedInteraction, ordinal: number): LogStart {
  const { id, chat_id, created_at, agent, agent_id, model, settings, edited_from, metadata } = row;
  return {
    ...{ id, chat_id, ordinal, created_at, agent, agent_id, model, settings, edited_from },
    ...{ idempotency: null, metadata, chat: null },
  };
}
