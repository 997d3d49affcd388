import type { HiddenOf } from '../protocol/events.js';

/**
 * The part of a result that the log keeps besides its text; clients don't get it.
 * `seen`: the file that the call has read or written, as it was then. `images`: shown with the text
 * to a model that accepts images; made with `readImage`. `whole`: the output, where it is longer
 * than what the model gets to see at once.
 */
export type ToolJournal = Omit<HiddenOf<'TOOL_RESULT'>, 'tripwire'>;

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
