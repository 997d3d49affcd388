import type { DataKey } from '../../encryption/data-key.js';
import { ANY_TENANT } from '../../persistence/any-tenant.js';
import { RequestStore } from '../../persistence/request.store.js';
import type {
  PendingCount,
  RequestPage,
  RequestRow,
  SettleOutcome,
  SettleRequest,
} from '../../persistence/rows/request-rows.js';
import type { AnyViewer } from '../../persistence/viewer.js';
import type { ChatKeys } from './chat-keys.js';
import { lasting } from './lasting.js';
import { fillPage } from './open-each.js';
import { keyIdOf, openJson, sealedBytes, sealJson } from './sealed/sealed-fields.js';
import { openInteractions } from './encrypted-interaction-store.js';

/** Requests in another store, encrypted. Appends write them. */
export class EncryptedRequestStore extends RequestStore {
  constructor(
    private readonly inner: RequestStore,
    private readonly keys: ChatKeys,
  ) {
    super();
  }

  async settleRequest(settle: SettleRequest): Promise<SettleOutcome> {
    const { request_id: id } = settle;
    const row = await this.inner.findRequest(id, ANY_TENANT);
    const key = row && (await this.keys.data.ofChat(row.chat_uid));
    if (!key) return { outcome: 'unknown' };
    const settlement = sealSettlement(key, id, settle.settlement);
    const outcome = await this.inner.settleRequest({ ...settle, settlement });
    if (outcome.outcome !== 'settled') return outcome;
    const [interaction] = await openInteractions(this.keys, [outcome.interaction]);
    return { outcome: 'settled', interaction: interaction! };
  }

  async findRequest(id: string, viewer: AnyViewer): Promise<RequestRow | undefined> {
    const row = await this.inner.findRequest(id, viewer);
    return row && (await this.open([row]))[0];
  }

  async listRequests(page: RequestPage): Promise<RequestRow[]> {
    const { bytes } = page;
    const limits = { ...page, ...(bytes !== undefined && { bytes: sealedBytes(bytes) }) };
    if (!page.readable_only) return this.open(await this.inner.listRequests(limits));
    return fillPage(
      page.limit,
      (after) => this.inner.listRequests({ ...limits, ...(after && { after }) }),
      { open: (rows) => this.open(rows) },
    );
  }

  /** A request that can't be read is returned as it is saved, so that it expires too. */
  async listExpiredRequests(at: string, limit: number): Promise<RequestRow[]> {
    const rows = await this.inner.listExpiredRequests(at, limit);
    const opened = rows.map((row) =>
      this.open([row]).catch((error: unknown) => (lasting(error), [row])),
    );
    return (await Promise.all(opened)).flat();
  }

  countPendingRequests(limit: number): Promise<PendingCount[]> {
    return this.inner.countPendingRequests(limit);
  }

  private async open(rows: readonly RequestRow[]): Promise<RequestRow[]> {
    const ids = rows.flatMap(({ event, settlement }) => [keyIdOf(event), keyIdOf(settlement)]);
    const keys = await this.keys.load(ids);
    return rows.map((row) => {
      const { id, event, settlement } = row;
      return {
        ...row,
        event: openJson(keys, event, [id, 'event']),
        settlement: settlement && openJson(keys, settlement, [id, 'settlement']),
      };
    });
  }
}

export function sealSettlement<T extends RequestRow['settlement']>(
  key: DataKey,
  requestId: string,
  settlement: T,
): T {
  if (!settlement) return settlement;
  const { kind, cause } = settlement; // stores check these
  return sealJson(key, settlement, [requestId, 'settlement'], { kind, ...(cause && { cause }) });
}
