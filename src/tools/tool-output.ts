import type { Image } from '../protocol/image.js';
import type { FileState } from './files/file-state.js';

/** What the log keeps of a result besides its text; clients don't get it. */
export interface ToolJournal {
  /** The file that the call has read or written, as it was then. */
  readonly seen?: FileState;
  /** What a model that can see is shown with the text; made with `readImage`. */
  readonly images?: readonly Image[];
  /** The output, where it is longer than what the model gets to see at once. */
  readonly whole?: string;
}

export interface ToolOutputFlags {
  /** The tool did its work, and what came of it is a failure. */
  readonly is_error?: boolean;
  /** The tool has cut it already. */
  readonly truncated?: boolean;
  readonly journal?: ToolJournal;
}

/** What a tool answers when the text alone doesn't say it all. */
export class ToolOutput {
  readonly is_error: boolean;
  readonly truncated: boolean;
  readonly journal: ToolJournal | undefined;

  constructor(
    readonly text: string,
    { is_error = false, truncated = false, journal }: ToolOutputFlags = {},
  ) {
    this.is_error = is_error;
    this.truncated = truncated;
    this.journal = journal;
  }
}
