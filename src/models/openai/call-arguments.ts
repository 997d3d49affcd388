import { parseBounded } from '../../kernel/bounded-json.js';
import { GrowingText } from '../answer/growing-text.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_ARRAY, CLOSE_ARRAY] = [0x5b, 0x5d];
const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7b, 0x7d];

/**
 * The arguments of a call while they are received. Whether they are whole is known without reading
 * them again for each delta, which would take time that grows with the square of their length.
 */
export class CallArguments extends GrowingText {
  isBlank = true;
  private depth = 0;
  private inText = false;
  private isEscaped = false;
  /** The first bracket is closed. */
  private isClosed = false;
  private hasMore = false;
  private known: { readonly compact: string | undefined } | undefined;

  /** Without white space between values, if it is a whole object; undefined otherwise. */
  get compact(): string | undefined {
    if (!this.isClosed || this.hasMore) return undefined;
    this.known ??= { compact: compactObject(this.text) };
    return this.known.compact;
  }

  protected override add(delta: string): string {
    const added = super.add(delta);
    for (let at = 0; at < added.length && !this.hasMore; at++)
      if (this.inText) at = this.readText(added, at);
      else this.read(added.charCodeAt(at));
    return added;
  }

  private read(code: number): void {
    if (isSpace(code)) return;
    this.isBlank = false;
    if (this.isClosed) this.hasMore = true;
    else if (code === QUOTE) this.inText = true;
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) this.depth++;
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) this.isClosed = --this.depth <= 0;
  }

  /** Returns the position of the last character of the text, or of `added`. */
  private readText(added: string, from: number): number {
    let isEscaped = this.isEscaped;
    let at = from;
    for (; at < added.length; at++) {
      const code = added.charCodeAt(at);
      if (isEscaped) isEscaped = false;
      else if (code === BACKSLASH) isEscaped = true;
      else if (code === QUOTE) {
        this.inText = false;
        break;
      }
    }
    this.isEscaped = isEscaped;
    return at;
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** A string without an end goes to the end of the text, so that the time is linear. */
const STRING_OR_SPACE = /"(?:[^"\\]|\\[^])*"?|\s+/g;

/** The JSON of an object without white space between its values; undefined if it is none. */
export function compactObject(json: string): string | undefined {
  if (!json.trimStart().startsWith('{') || !json.trimEnd().endsWith('}')) return undefined;
  try {
    parseBounded(json);
  } catch {
    return undefined;
  }
  return json.replace(STRING_OR_SPACE, (part) => (part.startsWith('"') ? part : ''));
}
