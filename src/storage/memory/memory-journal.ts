import { setImmediate as nextTick } from 'node:timers/promises';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RecordType } from '../../protocol/events.js';
import type { Message } from '../../protocol/message.js';
import type { EventPage, RecordPage } from '../../persistence/record.store.js';
import { GrowingPage } from './core/event-page.js';
import type {
  EventsWanted,
  FirstAppend,
  InteractionHead,
  InteractionStart,
  LogAppend,
  LogNote,
} from './core/journal.js';
import { ChatJournal, StoreJournal, RecordLog } from './core/journal.js';
import { copyJson, editStart, isResultOf, toHead, toNotes } from './core/log-notes.js';

/** Keeps logs as arrays, with the values that JSON would return. */
export class MemoryJournal extends StoreJournal {
  chat(): ChatJournal {
    return new MemoryChatJournal();
  }

  async receive(): Promise<ChatJournal> {
    return new MemoryChatJournal();
  }

  async ping(): Promise<void> {}
}

/** No own data: the index holds the whole chat. */
class MemoryChatJournal extends ChatJournal {
  async create(first: FirstAppend): Promise<RecordLog> {
    return new MemoryLog(copyJson(first));
  }

  async save(): Promise<void> {}
  async remove(): Promise<void> {}
  async discard(): Promise<void> {}
  async enter(): Promise<void> {}
  refresh(): void {}
  report(): void {}
}

/**
 * Appends and rows take one turn of the event loop, as with a disk, so that callers in a loop don't
 * starve timers.
 */
class MemoryLog extends RecordLog {
  private readonly records: LogRecord[] = [];
  private readonly notes: LogNote[] = [];
  private added: readonly Message[] | undefined;
  bytes = 0;
  private start: InteractionStart;

  constructor(first: FirstAppend) {
    super();
    this.start = first.start;
    this.show(first);
  }

  async append(content: LogAppend): Promise<() => void> {
    const saved = copyJson(content);
    await nextTick();
    return () => this.show(saved);
  }

  async readHead(): Promise<InteractionHead> {
    await nextTick();
    return toHead(this.start, this.records[0]);
  }

  async readRecords({ after, limit, types }: RecordPage): Promise<LogRecord[]> {
    if (!types) return this.records.slice(after, after + limit);
    const rest = this.records.slice(after).filter(({ body }) => types.includes(body.type));
    return rest.slice(0, limit);
  }

  async readEvents({ after, types, ...limits }: EventsWanted): Promise<EventPage> {
    const page = new GrowingPage(limits);
    for (const record of this.records.slice(after)) {
      if (types && !types.includes(record.body.type)) continue;
      const bytes = Buffer.byteLength(JSON.stringify(record.body));
      if (!page.add({ ...record, hidden: null }, bytes)) break;
    }
    return page.page;
  }

  async readRecordsOfTypes(types: readonly RecordType[]): Promise<LogRecord[]> {
    return this.records.filter(({ body }) => types.includes(body.type));
  }

  async findToolResult(callId: string): Promise<LogRecord<'TOOL_RESULT'> | undefined> {
    return this.records.findLast((record) => isResultOf(record, callId)) as
      LogRecord<'TOOL_RESULT'> | undefined;
  }

  async readNotes(): Promise<LogNote[]> {
    return this.notes;
  }

  get addedBytes(): number {
    return Buffer.byteLength(JSON.stringify(this.added ?? []));
  }

  async readAddedMessages(): Promise<Message[] | undefined> {
    return this.added && [...this.added];
  }

  async remove(): Promise<void> {}

  private show(content: LogAppend): void {
    this.bytes += Buffer.byteLength(JSON.stringify(content));
    this.records.push(...content.records);
    this.notes.push(...toNotes(content));
    this.added = content.added_messages ?? this.added;
    if (content.edited) this.start = editStart(this.start, content.edited);
  }
}
