import type { HiddenOf } from '../../protocol/events.js';

/**
 * The part of a result that the log keeps besides its text; clients do not get it. `seen`: the file
 * that the call has read or written, and its state then. `images`: shown with the text to a model
 * that accepts images; made with `readImage`. `whole`: the output, if it is longer than the part
 * that the model sees.
 */
export type ToolJournal = Omit<HiddenOf<'TOOL_RESULT'>, 'tripwire' | 'deferred'>;

export interface ToolOutputFlags {
  /** The tool did its work, and the result is a failure. */
  readonly is_error?: boolean;
  /** The tool has already truncated the text. */
  readonly truncated?: boolean;
  readonly journal?: ToolJournal;
}

/** The answer of a tool for which text alone is not enough. */
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
