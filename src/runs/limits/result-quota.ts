import { isRecordOf } from '../../persistence/rows/log-record.js';
import type { RecordContent } from '../../persistence/rows/log-record.js';
import { imageBytes } from '../../protocol/message.js';
import { outputPath } from '../../tools/text/output-path.js';
import type { ToolExecution, ToolExecutor } from '../../tools/core/tool-executor.js';
import type { ToolJournal } from '../../tools/core/tool-output.js';

/** Maximum size of the images in the log of one interaction, in bytes. */
const MAX_IMAGE_BYTES = 8 * 1024 * 1024;
/**
 * Maximum length of the long outputs that the log of one interaction keeps in full, in characters.
 */
const MAX_OUTPUT_LENGTH = 4 * 1024 * 1024;

/** The call of a result. */
export interface ResultOf {
  readonly call_id: string;
  /** True if a tool made the call: no model sees its images or opens its output. */
  readonly isNested?: boolean | undefined;
}

/**
 * Limits the images and the long outputs in the log of one interaction, which a run holds in
 * memory: a fold over that log.
 */
export class ResultQuota {
  private readonly images = new Usage(MAX_IMAGE_BYTES);
  private readonly outputs = new Usage(MAX_OUTPUT_LENGTH);

  constructor(private readonly executor: Pick<ToolExecutor, 'limit'>) {}

  apply(record: RecordContent): void {
    if (!isRecordOf(record, 'TOOL_RESULT')) return;
    const { body, hidden } = record;
    this.images.add(body.id, bytesOf(hidden));
    this.outputs.add(body.id, hidden?.whole?.length ?? 0);
  }

  /** The execution as it is logged, without what exceeds the quota. */
  admit<E extends ToolExecution>(of: ResultOf, execution: E): E {
    return this.admitImages(of, this.admitOutput(of, execution));
  }

  /** Adds the full output to the log, if there is room; the shortened one names its path. */
  private admitOutput<E extends ToolExecution>({ call_id, isNested }: ResultOf, execution: E): E {
    const { whole, ...rest } = execution;
    if (whole === undefined) return execution;
    if (isNested) return rest as E;
    const { text, is_part } = whole;
    if (!this.outputs.tryAdd(call_id, text.length)) return rest as E;
    const shortened = this.executor.limit(text, { path: outputPath(call_id), is_part });
    return { ...rest, ...shortened, journal: { ...execution.journal, whole: text } } as E;
  }

  private admitImages<E extends ToolExecution>({ call_id, isNested }: ResultOf, execution: E): E {
    const { journal, output } = execution;
    if (!journal?.images) return execution;
    const { images: _, ...rest } = journal;
    if (isNested) return { ...execution, journal: rest };
    if (this.images.tryAdd(call_id, bytesOf(journal))) return execution;
    return { ...execution, journal: rest, output: `${output}\n${NO_ROOM}` };
  }
}

/** Used part of a quota, by call. */
class Usage {
  private readonly used = new Map<string, number>();

  constructor(private readonly limit: number) {}

  add(callId: string, size: number): void {
    if (size > 0) this.used.set(callId, size);
  }

  /** Adds nothing and returns false if this would exceed the limit. */
  tryAdd(callId: string, size: number): boolean {
    this.add(callId, size);
    const total = [...this.used.values()].reduce((sum, each) => sum + each, 0);
    if (total <= this.limit) return true;
    this.used.delete(callId);
    return false;
  }
}

function bytesOf(journal: ToolJournal | null): number {
  return (journal?.images ?? []).reduce((sum, image) => sum + imageBytes(image), 0);
}

const NO_ROOM = `[Image not shown: the images of one interaction are limited to ${MAX_IMAGE_BYTES / 1024 / 1024} MiB. Make smaller copies of images and read those, or ask the user to go on with a new message.]`;
