import type { HiddenOf } from '../../protocol/events.js';

/**
 * The part of a result that the log keeps besides its text; clients do not get it. `seen`: the file
 * that the call has read or written, and its state then. `images`: shown with the text to a model
 * that accepts images; made with `readImage`. `whole`: the output, if it is longer than the part
 * that the model sees.
 */
export type ToolJournal = Omit<HiddenOf<'TOOL_RESULT'>, 'tripwire' | 'deferred'>;

export type ToolData = Readonly<Record<string, unknown>>;

/** A finding about a file, such as of a compiler; lines and columns count from 1. */
export interface Diagnostic {
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
}

export interface ToolOutputFlags {
  /** The tool did its work, and the result is a failure. */
  readonly is_error?: boolean;
  /** The tool has already truncated the text. */
  readonly truncated?: boolean;
  readonly journal?: ToolJournal;
  /**
   * For clients, as `tool_result.data`: JSON of at most 64 KB, or else it is left out. The model
   * does not read it.
   */
  readonly data?: ToolData;
  /** Added to `data`, as its `diagnostics`. */
  readonly diagnostics?: readonly Diagnostic[];
}

/** The answer of a tool for which text alone is not enough. */
export class ToolOutput {
  readonly is_error: boolean;
  readonly truncated: boolean;
  readonly journal: ToolJournal | undefined;
  readonly data: ToolData | undefined;

  constructor(
    readonly text: string,
    { is_error = false, truncated = false, journal, data, diagnostics }: ToolOutputFlags = {},
  ) {
    this.is_error = is_error;
    this.truncated = truncated;
    this.journal = journal;
    this.data = diagnostics ? { ...data, diagnostics } : data;
  }
}
