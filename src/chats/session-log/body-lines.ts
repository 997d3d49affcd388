import { AppError } from '../../kernel/app-error.js';

/** Bytes of one line; a longer one is dropped. Far more than any record that a run writes. */
export const MAX_LINE = 16 * 1024 * 1024;

const NEWLINE = 10;

/** Numbered from 1. `bytes` is undefined for a line that is too long. */
export interface BodyLine {
  readonly number: number;
  readonly bytes: Uint8Array | undefined;
}

/**
 * Cuts a body into lines as it arrives, of which one is in memory at a time. Only the byte `\n` ends a line, so U+2028, U+2029 and U+0085
 * are text.
 * @throws AppError `log_too_large` (413)
 */
export async function* readBodyLines(
  body: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<BodyLine> {
  const line = new GrowingLine();
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      line.add(chunk.subarray(from, end));
      yield line.take();
      from = end + 1;
    }
    line.add(chunk.subarray(from));
  }
  if (line.hasBegun) yield line.take();
}

class GrowingLine {
  private number = 1;
  private length = 0;
  private parts: Uint8Array[] = [];

  get hasBegun(): boolean {
    return this.length > 0;
  }

  add(part: Uint8Array): void {
    this.length += part.length;
    if (this.length > MAX_LINE) this.parts = [];
    else if (part.length > 0) this.parts.push(part);
  }

  take(): BodyLine {
    const bytes = this.length > MAX_LINE ? undefined : Buffer.concat(this.parts);
    this.parts = [];
    this.length = 0;
    return { number: this.number++, bytes };
  }
}

function tooLarge(limit: number): AppError {
  return new AppError(
    'too_large',
    'log_too_large',
    `The session log is larger than ${limit} bytes. Nothing was imported. IMPORT_MAX_BYTES sets the limit.`,
    { extra: { limit } },
  );
}
