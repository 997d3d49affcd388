import { ToolOutput } from '../core/tool-output.js';
import type { ToolData } from '../core/tool-output.js';

/** Characters reserved for the summary. */
const END_ROOM = 600;

/** The matches of a search, within the output limit of the model. */
export class Answer {
  private readonly lines: string[] = [];
  private room: number;
  /** True if there is no room for a further line. */
  isFull = false;

  /**
   * @param limit in characters (UTF-16 code units)
   * @param most maximum number of matches
   */
  constructor(
    limit: number,
    private readonly most: number,
  ) {
    this.room = Math.max(limit - END_ROOM, Math.floor(limit / 2));
  }

  get found(): number {
    return this.lines.length;
  }

  /** Returns false if there is no room for this line, nor for any further one. */
  add(line: string): boolean {
    this.isFull ||= this.found >= this.most || line.length + 1 > this.room;
    if (this.isFull) return false;
    this.lines.push(line);
    this.room -= line.length + 1;
    return true;
  }

  /**
   * @param summary of all matches
   * @param remarks sentences on skipped files
   * @param data the matches, for clients
   */
  end(summary: string, remarks: readonly string[], data?: ToolData): ToolOutput {
    const cut = this.isFull ? ['There is more than fits here: narrow the search.'] : [];
    const said = [summary, ...cut, ...remarks].map((sentence) => `[${sentence}]`);
    const flags = { truncated: this.isFull, ...(data && { data }) };
    return new ToolOutput([...this.lines, ...said].join('\n'), flags);
  }
}
