export interface ToolOutputFlags {
  /** The tool did its work, and what came of it is a failure. */
  readonly is_error?: boolean;
  /** The tool has cut it already. */
  readonly truncated?: boolean;
}

/** What a tool answers when the text alone doesn't say it all. */
export class ToolOutput {
  readonly is_error: boolean;
  readonly truncated: boolean;

  constructor(
    readonly text: string,
    { is_error = false, truncated = false }: ToolOutputFlags = {},
  ) {
    this.is_error = is_error;
    this.truncated = truncated;
  }
}
