import { GLYPHS } from './theme.js';

/** An escape sequence: CSI, OSC, DCS and the like, or two characters. An unfinished one counts. */
const ESCAPE =
  // oxlint-disable-next-line no-control-regex -- it takes them out
  /\u001B(?:\[[0-?]*[ -/]*[@-~]?|\][^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)?|[PX^_][^\u001B\u009C]*(?:\u001B\\|\u009C)?|[ -/]*[0-~]?)/g;
/** C1 introducers of the same sequences. */
// oxlint-disable-next-line no-control-regex -- it takes them out
const C1_ESCAPE = /\u009B[0-?]*[ -/]*[@-~]?|[\u0090\u0098\u009D-\u009F][^\u0007\u001B\u009C]*/g;
// oxlint-disable-next-line no-control-regex -- it takes them out
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;
/**
 * Characters that reorder text, hide it or look like none: bidi controls, zero-width spaces,
 * fillers of Korean, tags.
 */
const INVISIBLE =
  /[\u034F\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\u3164\uFEFF\uFFA0\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]/gu;
/** Any character that `sanitize` takes out or names. */
const UNSAFE =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- it finds them
  /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u034F\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\u3164\uFEFF\uFFA0\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]|\p{Surrogate}/u;
const NOT_IN_JSON =
  // oxlint-disable-next-line no-misleading-character-class -- each is one of its own
  /[\u007F-\u009F\u034F\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\u3164\uFEFF\uFFA0\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]/gu;
const LONE_SURROGATE = /\p{Surrogate}/gu;
const TAB = '    ';
/** An escape sequence of a stream that is longer than this is no sequence. */
const LONGEST_ESCAPE = 256;

/**
 * Text of a model, a tool or a server, safe to print: without control characters but line ends, and
 * with bidi controls made visible, as `⟦U+202E⟧`.
 */
export function sanitize(text: string): string {
  return withoutControls(text).replaceAll('\t', TAB).replace(INVISIBLE, nameOf);
}

/** For a file or another program, which may take tabs and bidi controls as they are. */
export function withoutControls(text: string): string {
  return text
    .replace(ESCAPE, '')
    .replace(C1_ESCAPE, '')
    .replaceAll('\r\n', '\n')
    .replace(/[\r\u2028\u2029]/g, '\n')
    .replace(CONTROL, '')
    .replace(LONE_SURROGATE, '\uFFFD');
}

/** True if it is as `sanitize` leaves it. */
export function isSafe(text: string): boolean {
  return !UNSAFE.test(text);
}

/** JSON on one line, in which characters that are more than text are escaped. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(NOT_IN_JSON, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** The same on one line. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replaceAll('\n', ' ');
}

/** Text that arrives in pieces, wherever those are cut. */
export class StreamSanitizer {
  /** The start of a sequence, a line end or a character that the next piece may complete. */
  private carried = '';

  take(piece: string): string {
    const text = this.carried + piece;
    const cut = text.length - unfinished(text);
    this.carried = text.slice(cut);
    return sanitize(text.slice(0, cut));
  }

  end(): string {
    const rest = sanitize(this.carried);
    this.carried = '';
    return rest;
  }
}

/** The number of characters at the end that have to wait for the next piece. */
function unfinished(text: string): number {
  const escape = text.lastIndexOf('\u001B');
  const length = text.length - escape;
  if (escape >= 0 && length <= LONGEST_ESCAPE) {
    const [sequence = ''] = text.slice(escape).match(ESCAPE) ?? [];
    if (sequence.length === length) return length;
  }
  return /[\r\uD800-\uDBFF]$/.test(text) ? 1 : 0;
}

function nameOf(character: string): string {
  const code = character.codePointAt(0)!.toString(16).toUpperCase();
  return `${GLYPHS.open}U+${code.padStart(4, '0')}${GLYPHS.close}`;
}
