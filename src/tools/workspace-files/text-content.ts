import { markedEncoding } from '../../kernel/text/decode-text.js';

/** The text of a file. */
export interface TextContent {
  /** Without the byte order mark. */
  readonly text: string;
  readonly has_mark: boolean;
}

export type Decoded =
  | ({ readonly ok: true } & TextContent)
  /** `fault`: the end of a sentence that begins with the file's name. */
  | { readonly ok: false; readonly fault: string };

const MARK = '\uFEFF';

/** Strict UTF-8: the decoded text encodes to the same bytes again. */
export function decodeText(bytes: Buffer): Decoded {
  if (markedEncoding(bytes))
    return fault('is UTF-16 text, and only UTF-8 can be worked with; convert it with iconv first');
  if (bytes.includes(0)) return fault('is not text: it has NUL bytes in it');
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const has_mark = text.startsWith(MARK);
    return { ok: true, text: has_mark ? text.slice(1) : text, has_mark };
  } catch {
    return fault('is not UTF-8 text; if it is text in another encoding, convert it with iconv');
  }
}

/**
 * Decodes like `decodeText`, also UTF-16 with a byte order mark, for text that is not written
 * again.
 */
export function readableText(bytes: Buffer): Decoded {
  const encoding = markedEncoding(bytes);
  if (!encoding) return decodeText(bytes);
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes('\0') ? fault('is not text') : { ok: true, text, has_mark: true };
  } catch {
    return fault('begins like UTF-16 text, but is none');
  }
}

export function encodeText({ text, has_mark }: TextContent): Buffer {
  return Buffer.from(has_mark ? MARK + text : text);
}

function fault(text: string): Decoded {
  return { ok: false, fault: text };
}
