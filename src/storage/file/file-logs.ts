import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RecordType } from '../../protocol/events.js';
import type { Message } from '../../protocol/message.js';
import type { LogGate } from './log-gate.js';
import { mapInSlices } from './map-in-slices.js';
import type { StoreIndex } from './store-index.js';

/** Reads records, and the messages that interactions added. */
export class FileLogs {
  constructor(
    private readonly index: StoreIndex,
    private readonly gate: LogGate,
  ) {}

  async readRecords(
    interactionId: string,
    page: { after: number; limit: number },
  ): Promise<LogRecord[]> {
    return (await this.gate.read(interactionId, (log) => log.readRecords(page))) ?? [];
  }

  async readRecordsOfTypes(
    interactionIds: readonly string[],
    types: readonly RecordType[],
  ): Promise<LogRecord[]> {
    const logs = await mapInSlices(interactionIds, (id) =>
      this.gate.read(id, (log) => log.readRecordsOfTypes(types)),
    );
    return logs.flatMap((records) => records ?? []);
  }

  readLastSeqs(interactionIds: readonly string[]): Map<string, number> {
    const lasts = new Map<string, number>();
    for (const id of interactionIds) {
      const log = this.index.findLog(id);
      if (log) lasts.set(id, log.state.last_seq);
    }
    return lasts;
  }

  async findAddedMessages(interactionIds: readonly string[]): Promise<Map<string, Message[]>> {
    const found = new Map<string, Message[]>();
    await mapInSlices(interactionIds, async (id) => {
      const added = await this.gate.read(id, (log) => log.readAddedMessages());
      if (added) found.set(id, added);
    });
    return found;
  }

  async getPreviousState(interactionId: string): Promise<Message[]> {
    const ancestors = this.ancestorsOf(interactionId);
    const added = await this.findAddedMessages(ancestors);
    return ancestors.flatMap((id) => added.get(id) ?? []);
  }

  /** Oldest first. */
  private ancestorsOf(interactionId: string): string[] {
    const ids: string[] = [];
    let id = this.index.findLog(interactionId)?.state.parent_id;
    for (; id; id = this.index.findLog(id)?.state.parent_id) ids.push(id);
    return ids.reverse();
  }
}
