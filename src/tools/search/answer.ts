import { ToolOutput } from '../tool-output.js';

/** Characters for what is said in the end. */
const END_ROOM = 600;

/** What a search found, as much of it as the model gets to read. */
export class Answer {
  private readonly lines: string[] = [];
  private room: number;
  /** There is no room for anything else. */
  isFull = false;

  /** @param limit in characters (UTF-16 code units) @param most of what is found */
  constructor(
    limit: number,
    private readonly most: number,
  ) {
    this.room = Math.max(limit - END_ROOM, Math.floor(limit / 2));
  }

  get found(): number {
    return this.lines.length;
  }

  /** Answers false when there is no room for it, nor for anything else. */
  add(line: string): boolean {
    this.isFull ||= this.found >= this.most || line.length + 1 > this.room;
    if (this.isFull) return false;
    this.lines.push(line);
    this.room -= line.length + 1;
    return true;
  }

  /** @param summary of all @param remarks sentences on what was left out */
  end(summary: string, remarks: readonly string[]): ToolOutput {
    const cut = this.isFull ? ['There is more than fits here: narrow the search.'] : [];
    const said = [summary, ...cut, ...remarks].map((sentence) => `[${sentence}]`);
    return new ToolOutput([...this.lines, ...said].join('\n'), { truncated: this.isFull });
  }
}
