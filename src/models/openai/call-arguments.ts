import { findExcess } from '../../kernel/json/bounded-json.js';
import { parseWithDigits } from '../../kernel/json/exact-json.js';
import { canonicalJson, isObject } from '../../kernel/json/json.js';
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
  /** The first bracket, or a text without one, is closed. */
  private isClosed = false;
  private hasMore = false;
  private known: { readonly canonical: string | undefined } | undefined;

  /** Their `canonicalObject`; undefined while they are not a whole object. */
  get canonical(): string | undefined {
    if (!this.isClosed || this.hasMore) return undefined;
    this.known ??= { canonical: canonicalObject(this.text) };
    return this.known.canonical;
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
        this.isClosed ||= this.depth === 0;
        break;
      }
    }
    this.isEscaped = isEscaped;
    return at;
  }
}

/** The arguments in one delta. They are parsed at most once, for however many calls. */
export class SentArguments {
  private known: { readonly canonical: string | undefined } | undefined;

  constructor(readonly text: string) {}

  /** Their `canonicalObject`; undefined if they are no object. */
  get canonical(): string | undefined {
    this.known ??= { canonical: canonicalObject(this.text) };
    return this.known.canonical;
  }

  get decoded(): string {
    return decoded(this.text);
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/**
 * Text that equal objects share, whichever encoder wrote them: order, white space and escapes may
 * differ, digits may not, and the object may be encoded twice. Undefined if the JSON is no object.
 */
export function canonicalObject(whole: string): string | undefined {
  const json = decoded(whole);
  if (!json.trimStart().startsWith('{') || !json.trimEnd().endsWith('}')) return undefined;
  try {
    const value = findExcess(json) === undefined ? parseWithDigits(json) : undefined;
    return isObject(value) ? canonicalJson(value) : undefined;
  } catch {
    return undefined;
  }
}

/** The text in a JSON string; another text unchanged. */
function decoded(json: string): string {
  try {
    return json.trimStart().startsWith('"') ? String(JSON.parse(json)) : json;
  } catch {
    return json;
  }
}

const EMPTY: ReadonlySet<string> = new Set(['', '{}', 'null']);

/** True for arguments that say nothing. */
export function areEmpty(text: string): boolean {
  return EMPTY.has(text.trim());
}
