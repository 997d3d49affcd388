import type { LinearRegex } from '../../matching/linear-regex.js';
import { Breather } from '../../workspace/tree/breather.js';
import type { TreeFile } from '../../workspace/tree/file-tree.js';
import type { SkippedFiles } from '../../workspace/tree/skipped-files.js';
import { readFileText } from './file-text.js';
import { linesOf } from './lines.js';
import { showLine } from './show-line.js';

export interface FoundLine {
  /** From 1 on. */
  readonly number: number;
  /** Of a long line what is around the match. */
  readonly text: string;
}

/** Looks for lines in files, one after the other. */
export class LineSearch {
  private readonly breather = new Breather();

  constructor(
    private readonly regex: LinearRegex,
    private readonly run: { readonly leftOut: SkippedFiles; readonly signal: AbortSignal },
  ) {}

  async *in(file: TreeFile): AsyncGenerator<FoundLine, void, undefined> {
    const read = await readFileText(file);
    if (typeof read === 'string') return void this.run.leftOut.leave(read);
    for (const [number, line] of linesOf(read.text)) {
      await this.breather.breathe();
      if (this.run.signal.aborted) return;
      const found = this.regex.finds(line);
      if (found === 'too much') this.run.leftOut.leave('slow');
      else if (found) yield { number, text: showLine(line, this.placeIn(line)) };
    }
  }

  private placeIn(line: string): number {
    const place = this.regex.indexIn(line);
    return place === 'too much' ? 0 : place;
  }
}
