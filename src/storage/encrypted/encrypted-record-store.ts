import { RecordStore } from '../../persistence/record.store.js';
import type { EventLimits, EventPage, RecordPage } from '../../persistence/record.store.js';
import type { DataKey } from '../../encryption/data-key.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { NewRequest } from '../../persistence/rows/request-rows.js';
import { StoreRefused } from '../../persistence/store-refused.error.js';
import type { AppendBatch, AppendOutcome } from '../../persistence/rows/append-rows.js';
import type { RecordType } from '../../protocol/events.js';
import type { ChatKeys } from './chat-keys.js';
import { lasting } from './lasting.js';
import { plainBytes, sealedBytes, sealJson } from './sealed/sealed-fields.js';
import { sealError, sealMessages } from './sealed/sealed-interaction.js';
import { keysOfRecord, openRecord, sealRecord } from './sealed/sealed-records.js';

type FoundKey = DataKey | StoreRefused | undefined;

/** Logs in another store, encrypted. */
export class EncryptedRecordStore extends RecordStore {
  constructor(
    private readonly inner: RecordStore,
    private readonly keys: ChatKeys,
  ) {
    super();
  }

  async append(batches: readonly AppendBatch[]): Promise<AppendOutcome[]> {
    const known = batches.map(({ interaction_id: id }) => this.keys.peek(id));
    const keys = known.every((key) => key) ? known : await this.findKeys(batches);
    const sealed = batches.map((batch, index) => trySeal(keys[index], batch));
    const written = sealed.filter((batch) => typeof batch === 'object' && 'records' in batch);
    const outcomes = (await this.inner.append(written)).values();
    return sealed.map((batch) =>
      typeof batch === 'object' && 'records' in batch ? outcomes.next().value! : batch,
    );
  }

  onPromoted(listener: (interactionId: string) => void): () => void {
    return this.inner.onPromoted(listener);
  }

  async readRecords(interactionId: string, page: RecordPage): Promise<LogRecord[]> {
    return this.open(await this.inner.readRecords(interactionId, page));
  }

  async readEvents(
    interactionId: string,
    page: { after: number } & EventLimits,
  ): Promise<EventPage> {
    const limits = { ...page, bytes: sealedBytes(page.bytes) };
    return this.openPage(await this.inner.readEvents(interactionId, limits));
  }

  async readEventsOfTypes(
    interactionIds: readonly string[],
    types: readonly RecordType[],
    bytes: number,
  ): Promise<Map<string, EventPage>> {
    const pages = await this.inner.readEventsOfTypes(interactionIds, types, sealedBytes(bytes));
    const opened = new Map<string, EventPage>();
    for (const [id, page] of pages) opened.set(id, await this.openPage(page));
    return opened;
  }

  async findToolResult(
    interactionId: string,
    callId: string,
  ): Promise<LogRecord<'TOOL_RESULT'> | undefined> {
    const found = await this.inner.findToolResult(interactionId, callId);
    return found && (await this.open([found]))[0];
  }

  async readRecordsOfTypes(
    interactionIds: readonly string[],
    types: readonly RecordType[],
  ): Promise<LogRecord[]> {
    return this.open(await this.inner.readRecordsOfTypes(interactionIds, types));
  }

  readLastSeqs(interactionIds: readonly string[]): Promise<Map<string, number>> {
    return this.inner.readLastSeqs(interactionIds);
  }

  ping(): Promise<void> {
    return this.inner.ping();
  }

  /** An error instead of a key that can't be read: the other batches are written. */
  private findKeys(batches: readonly AppendBatch[]): Promise<FoundKey[]> {
    return Promise.all(
      batches.map(({ interaction_id: id }) =>
        this.keys.ofInteraction(id).catch((error: unknown) => new StoreRefused(lasting(error))),
      ),
    );
  }

  private async openPage(page: EventPage): Promise<EventPage> {
    const records = await this.open(page.records);
    return { ...page, records, bytes: plainBytes(page.bytes) };
  }

  private async open<R extends LogRecord>(records: readonly R[]): Promise<R[]> {
    const keys = await this.keys.load(records.flatMap(keysOfRecord));
    return records.map((record) => openRecord(keys, record));
  }
}

/** The outcome if it can't be written: the interaction is gone, or a value is no JSON. */
function trySeal(
  key: FoundKey,
  batch: AppendBatch,
): AppendBatch | Exclude<AppendOutcome, 'written'> {
  if (!key) return 'fenced';
  if (key instanceof StoreRefused) return key;
  try {
    return sealBatch(key, batch);
  } catch (error) {
    return new StoreRefused(error);
  }
}

function sealBatch(key: DataKey, batch: AppendBatch): AppendBatch {
  const { interaction_id, records, requests, end } = batch;
  return {
    ...batch,
    records: records.map((record) => sealRecord(key, record)),
    ...(requests && { requests: requests.map((request) => sealRequest(key, request)) }),
    ...(end && {
      end: {
        ...end,
        error: end.error && sealError(key, interaction_id, end.error),
        added_messages: sealMessages(key, interaction_id, end.added_messages),
      },
    }),
  };
}

export function sealRequest<R extends NewRequest>(key: DataKey, request: R): R {
  return { ...request, event: sealJson(key, request.event, [request.id, 'event']) };
}
