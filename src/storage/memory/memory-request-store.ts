import type {
  RequestPage,
  RequestRow,
  SettleOutcome,
  SettleRequest,
} from '../../persistence/rows/request-rows.js';
import type { InteractionLog } from './interaction-log.js';
import type { LogGate } from './log-gate.js';
import type { OpenRequest } from './log-requests.js';
import { settledState } from './log-transitions.js';
import { mapInSlices } from './map-in-slices.js';
import type { Projections } from './projections.js';
import type { SortKey, StoreIndex } from './store-index.js';
import { compareKeys } from './store-index.js';

/**
 * What waits for people. A request is in the frame of the append that made it, and its settlement in a frame of its own with the signal:
 * both are there or neither. Memory knows which are pending; what they ask is read from their logs.
 */
export class FileRequests {
  constructor(
    private readonly index: StoreIndex,
    private readonly gate: LogGate,
    private readonly projections: Projections,
  ) {}

  async settle(settle: SettleRequest): Promise<SettleOutcome> {
    const owner = this.index.findLogOfRequest(settle.request_id);
    const outcome =
      owner && (await this.gate.write(owner.id, (log) => this.settleOne(log, settle)));
    return outcome ?? { outcome: 'unknown' };
  }

  async find(id: string): Promise<RequestRow | undefined> {
    const owner = this.index.findLogOfRequest(id);
    return owner && this.gate.read(owner.id, (log) => findRow(log, id));
  }

  async list(page: RequestPage): Promise<RequestRow[]> {
    return page.status === 'pending' ? this.listPending(page) : this.listAny(page);
  }

  async listExpired(at: string, limit: number): Promise<RequestRow[]> {
    const expired = this.pendingIn({}).filter(({ expires_at }) => isOver(expires_at, at));
    return this.readRows(expired.sort(byExpiry).slice(0, limit));
  }

  private async settleOne(
    log: InteractionLog,
    { request_id, settlement, at, accept_expired }: SettleRequest,
  ): Promise<SettleOutcome> {
    const request = log.requests.findPending(request_id) ?? (await findRow(log, request_id));
    if (request?.kind !== settlement.kind) return { outcome: 'unknown' };
    const isOpen = log.requests.findPending(request_id) && log.state.cancel_reason === null;
    if (!isOpen) return { outcome: 'settled_before' };
    const isLate = isOver(request.expires_at, at) && !accept_expired;
    if (isLate && settlement.by !== 'timeout') return { outcome: 'expired' };
    const settled = { id: request_id, settlement, settled_at: at };
    await log.commit(settledState(log.state), { records: [], settled });
    this.projections.refreshRequests(log);
    return { outcome: 'settled', interaction: await log.readRow() };
  }

  private listPending({ limit, after, ...scope }: RequestPage): Promise<RequestRow[]> {
    const pending = this.pendingIn(scope).filter((each) => isAfter(each, after));
    return this.readRows(pending.sort(compareKeys).slice(0, limit));
  }

  /** From one log after the other: never more than a page and a log's requests are kept. */
  private async listAny({ limit, after, status, ...scope }: RequestPage): Promise<RequestRow[]> {
    let page: RequestRow[] = [];
    const logs = this.logsIn(scope) ?? [...this.index.chats].flatMap((chat) => chat.logs);
    for (const log of logs) {
      if (log.state.request_changes === 0) continue;
      const rows = (await this.gate.read(log.id, (each) => each.readRequests())) ?? [];
      const wanted = rows.filter(
        (row) => (!status || row.status === status) && isAfter(row, after),
      );
      if (wanted.length > 0) page = [...page, ...wanted].sort(compareKeys).slice(0, limit);
    }
    return page;
  }

  private pendingIn(scope: Scope): Pending[] {
    const { busyChats } = this.index;
    const logs = this.logsIn(scope) ?? busyChats.flatMap(({ unfinished }) => unfinished);
    return logs.flatMap((log) => log.requests.pending.map((request) => ({ ...request, log })));
  }

  /** Undefined if it is not said which. */
  private logsIn({ chat_id, interaction_id }: Scope): readonly InteractionLog[] | undefined {
    if (interaction_id === undefined)
      return chat_id === undefined ? undefined : (this.index.findChat(chat_id)?.logs ?? []);
    const log = this.index.findLog(interaction_id);
    return log && (chat_id ?? log.known.chat_id) === log.known.chat_id ? [log] : [];
  }

  /** Reads each log once. What was settled meanwhile is left out. */
  private async readRows(pending: readonly Pending[]): Promise<RequestRow[]> {
    const logs = [...new Set(pending.map(({ log }) => log))];
    const read = await mapInSlices(logs, ({ id }) =>
      this.gate.read(id, (log) => log.readRequests()),
    );
    const rows = new Map(read.flatMap((each) => (each ?? []).map((row) => [row.id, row])));
    return pending.flatMap(({ id }) => {
      const row = rows.get(id);
      return row?.status === 'pending' ? [row] : [];
    });
  }
}

type Scope = Pick<RequestPage, 'chat_id' | 'interaction_id'>;
type Pending = OpenRequest & { readonly log: InteractionLog };

function isOver(expiresAt: string | null, at: string): boolean {
  return expiresAt !== null && at >= expiresAt;
}

function isAfter(request: SortKey, after: SortKey | undefined): boolean {
  return !after || compareKeys(request, after) > 0;
}

function byExpiry(a: Pending, b: Pending): number {
  return compareKeys(expiryOf(a), expiryOf(b));
}

function expiryOf({ id, expires_at }: Pending): SortKey {
  return { created_at: expires_at ?? '', id };
}

async function findRow(log: InteractionLog, id: string): Promise<RequestRow | undefined> {
  return (await log.readRequests()).find((row) => row.id === id);
}
