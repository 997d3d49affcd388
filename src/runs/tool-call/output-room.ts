import { isRecordOf } from '../../persistence/rows/log-record.js';
import type { RecordContent } from '../../persistence/rows/log-record.js';
import type { ToolExecution, ToolExecutor } from '../../tools/tool-executor.js';
import { outputPath } from '../../tools/output-path.js';
import type { ToolCallInput } from './tool-call-input.js';

/** Characters of long outputs that the log of one interaction keeps besides what models read at once. */
const MAX_LENGTH = 4 * 1024 * 1024;

/** Keeps long outputs in the log, where the tool `read` opens them, as long as a run can have that log in memory. */
export class OutputRoom {
  /** Characters, by call. */
  private readonly used = new Map<string, number>();

  constructor(private readonly executor: Pick<ToolExecutor, 'limit'>) {}

  apply(record: RecordContent): void {
    if (isRecordOf(record, 'TOOL_RESULT')) this.note(record.body.id, record.hidden?.whole);
  }

  /** The execution as it is told: its output says where all of it is, if there is room for that. */
  admit<E extends ToolExecution>({ call, isNested }: ToolCallInput, execution: E): E {
    const { whole, ...rest } = execution;
    if (whole === undefined || isNested) return rest as E;
    const { text, is_part } = whole;
    this.note(call.id, text);
    if (this.total() > MAX_LENGTH) {
      this.used.delete(call.id);
      return rest as E;
    }
    const told = this.executor.limit(text, { path: outputPath(call.id), is_part });
    return { ...rest, ...told, journal: { ...execution.journal, whole: text } } as E;
  }

  private note(callId: string, whole: string | undefined): void {
    if (whole !== undefined) this.used.set(callId, whole.length);
  }

  private total(): number {
    return [...this.used.values()].reduce((sum, length) => sum + length, 0);
  }
}
