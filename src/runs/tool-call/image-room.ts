import { isRecordOf } from '../../persistence/rows/log-record.js';
import type { RecordContent } from '../../persistence/rows/log-record.js';
import { imageBytes } from '../../protocol/image.js';
import type { ToolExecution } from '../../tools/tool-executor.js';
import type { ToolJournal } from '../../tools/tool-output.js';
import type { ToolCallInput } from './tool-call-input.js';

/** Bytes of images that the log of one interaction takes. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Sees to it that images don't make a log, which a run has in memory, grow without bound. */
export class ImageRoom {
  /** Bytes, by call. */
  private readonly used = new Map<string, number>();

  apply(record: RecordContent): void {
    if (isRecordOf(record, 'TOOL_RESULT')) this.note(record.body.id, record.hidden);
  }

  /** The execution as it is told: without images where no model would see them, or where there is no more room. */
  admit<E extends ToolExecution>({ call, isNested }: ToolCallInput, execution: E): E {
    const { journal, output } = execution;
    if (!journal?.images) return execution;
    const { images: _, ...rest } = journal;
    if (isNested) return { ...execution, journal: rest };
    this.note(call.id, journal);
    if (this.total() <= MAX_BYTES) return execution;
    this.used.delete(call.id);
    return { ...execution, journal: rest, output: `${output}\n${NO_ROOM}` };
  }

  private note(callId: string, journal: ToolJournal | null): void {
    const bytes = (journal?.images ?? []).reduce((sum, image) => sum + imageBytes(image), 0);
    if (bytes > 0) this.used.set(callId, bytes);
  }

  private total(): number {
    return [...this.used.values()].reduce((sum, bytes) => sum + bytes, 0);
  }
}

const NO_ROOM = `[It is not shown: this interaction has shown ${MAX_BYTES / 1024 / 1024} MiB of images, or would with it, which is the most. Make smaller copies of images and read those, or ask the user to go on with a new message.]`;
