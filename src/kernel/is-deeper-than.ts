const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set(Buffer.from('[{'));
const CLOSING: ReadonlySet<number> = new Set(Buffer.from(']}'));

/**
 * True if this JSON, in UTF-8, is nested deeper than `levels`. Much faster than parsing: that takes
 * seconds for a few megabytes of brackets and blocks the event loop.
 */
export function isDeeperThan(levels: number, json: Uint8Array): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!;
    if (inText && byte === BACKSLASH) at++;
    else if (byte === QUOTE) inText = !inText;
    else if (inText) continue;
    else if (OPENING.has(byte) && ++depth > levels) return true;
    else if (CLOSING.has(byte)) depth--;
  }
  return false;
}
