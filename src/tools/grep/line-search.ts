import type { Cut } from '../../kernel/text/cut-text.js';
import type { LinearRegex } from '../../matching/linear-regex.js';
import { Breather } from '../../kernel/async/breather.js';
import type { TreeFile } from '../../workspace/tree/file-tree.js';
import type { SkippedFiles } from '../../workspace/tree/skipped-files.js';
import { decodeText, markedEncoding } from '../../kernel/text/decode-text.js';
import { readUpTo } from '../../workspace/read-file.js';
import { openFileIn } from '../../workspace/workspace.js';

export interface FoundLine {
  /** Path of the file. */
  readonly file: string;
  /** Line number, from 1. */
  readonly number: number;
  /** The line; if it is long, the part around the match. */
  readonly text: string;
}

/** Searches files for matching lines. */
export class LineSearch {
  private readonly breather = new Breather();

  constructor(
    private readonly regex: LinearRegex,
    private readonly run: { readonly leftOut: SkippedFiles; readonly signal: AbortSignal },
    private readonly cut: Cut,
  ) {}

  /** The lines in the order of the files. Small files are read together. */
  async *in(files: readonly TreeFile[]): AsyncGenerator<FoundLine, void, undefined> {
    const reads = files.map((file) => readFileText(file, MAX_SMALL_FILE));
    try {
      for (const [index, file] of files.entries()) {
        let read = await reads[index]!;
        if (read === 'large') read = await readFileText(file, MAX_FILE);
        if (typeof read === 'string') this.run.leftOut.leave(read);
        else yield* this.inText(file.path, read.text);
        if (this.run.signal.aborted) return;
      }
    } finally {
      await Promise.all(reads);
    }
  }

  private async *inText(file: string, content: string): AsyncGenerator<FoundLine, void, undefined> {
    for (const [number, line] of linesOf(content)) {
      await this.breather.breathe();
      if (this.run.signal.aborted) return;
      const found = this.regex.finds(line);
      if (found === 'too much') this.run.leftOut.leave('slow');
      else if (found) yield { file, number, text: this.show(line) };
    }
  }

  /** Returns the line, or the part around the match if it is long. */
  private show(line: string): string {
    if (line.length <= MAX_LENGTH) return line;
    const match = this.placeIn(line) ?? 0;
    const from = Math.max(0, match - READ_BEFORE);
    const length = match - from + MAX_LENGTH;
    const text = this.cut(line.slice(from), length);
    const place = this.placeIn(text) ?? match - from; // what was before it may be redacted
    const start = Math.max(0, Math.min(place - BEFORE, text.length - MAX_LENGTH));
    const shown = text.slice(start, start + MAX_LENGTH).toWellFormed();
    const isCut = start + MAX_LENGTH < text.length || from + length < line.length;
    return `${from + start > 0 ? '…' : ''}${shown}${isCut ? '…' : ''}`;
  }

  /** Undefined: the match is not there any more, or the search would take too long. */
  private placeIn(line: string): number | undefined {
    const place = this.regex.indexIn(line);
    return place === 'too much' || place === -1 ? undefined : place;
  }
}

/**
 * The lines of a text without their line endings, numbered from 1. No empty line follows the last
 * line ending.
 */
function* linesOf(text: string): Generator<readonly [number, string]> {
  let number = 0;
  for (let start = 0; start < text.length;) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    const stop = end > start && text[end - 1] === '\r' ? end - 1 : end;
    yield [++number, text.slice(start, stop)];
    start = end + 1;
  }
}

/** Maximum characters shown of a line, and those of them before the match. */
const MAX_LENGTH = 300;
const BEFORE = 100;
/** Characters before the match that the guardrails read, to know a secret at the cut. */
const READ_BEFORE = 20_000;

/** Maximum size of a searched file, in bytes. */
const MAX_FILE = 10_000_000;
/** Maximum size of a file that is read together with others, in bytes. */
const MAX_SMALL_FILE = 256 * 1024;

/** The reason why a file is not searched; `binary`: it has a NUL byte, and is not UTF-16. */
type NoText = 'large' | 'binary' | 'unopened';

/** Reads a file as text, unless it is larger than `limit` bytes. Never rejects. */
async function readFileText(
  { folder, name, path }: TreeFile,
  limit: number,
): Promise<{ readonly text: string } | NoText> {
  const file = await openFileIn(folder, name, path).catch(() => undefined);
  if (!file) return 'unopened';
  try {
    if (file.stats.size > limit) return 'large';
    const bytes = await readUpTo(file.handle, { limit: limit + 1, size: file.stats.size });
    if (bytes.length > limit) return 'large';
    const isText = markedEncoding(bytes) !== undefined || !bytes.includes(0);
    return isText ? { text: decodeText(bytes) } : 'binary';
  } catch {
    return 'unopened';
  } finally {
    await file.handle.close();
  }
}
