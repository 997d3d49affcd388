import { isRecordOf } from '../../persistence/rows/log-record.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RecordOf, RecordType } from '../../protocol/events.js';
import { endedBy } from './completes.js';

/** A record of this type that reports the progress of a step. */
export type ProgressRecord<T extends RecordType> = Extract<
  LogRecord,
  { readonly body: RecordOf<T> }
>;

/** Records of steps that are not completed, such as TOOL_CALL and TOOL_STARTED, by key. */
export class StepProgress {
  private readonly byKey = new Map<string, LogRecord[]>();

  add(key: string, record: LogRecord): void {
    const known = this.byKey.get(key);
    if (known) known.push(record);
    else this.byKey.set(key, [record]);
  }

  /** In order. */
  list<T extends RecordType>(key: string, type: T): readonly ProgressRecord<T>[] {
    const records = this.byKey.get(key) ?? [];
    return records.filter((record) => isRecordOf(record, type));
  }

  /**
   * The record `seq` completes the step. Later records belong to a deferred call, whose agent went
   * on without it.
   */
  complete(key: string, seq: number): void {
    const later = (this.byKey.get(key) ?? []).filter((record) => record.seq > seq);
    if (later.length > 0) this.byKey.set(key, later);
    else this.byKey.delete(key);
  }
}

/** Finds the steps nested in a step or an agent that is over: a replay does not reach them. */
export class StepNesting {
  /** Keys of steps with nested steps, and paths of agents. */
  private readonly outer = new Set<string>();
  /** Keys and paths of steps and agents that are over. */
  private readonly over = new Set<string>();

  add(record: LogRecord): void {
    if (record.key !== null) this.outer.add(outerKey(record.key));
    const ended = endedBy(record);
    if (ended !== undefined && this.outer.has(ended)) this.over.add(ended);
  }

  end(path: string): void {
    this.over.add(path);
  }

  isOver(key: string): boolean {
    for (let outer = outerKey(key); outer !== ''; outer = outerKey(outer))
      if (this.over.has(outer)) return true;
    return false;
  }
}

/** The step or the agent that contains a step; empty if there is none. */
export function outerKey(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}
