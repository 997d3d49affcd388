import { extname } from 'node:path';
import { markedEncoding } from '../../kernel/text/decode-text.js';

/** Bytes of the beginning of a file that tell its type. */
export const HEAD_BYTES = 64 * 1024;

const UNKNOWN = 'application/octet-stream';
const PLAIN = 'text/plain';
const XML = 'application/xml';
const SVG = 'image/svg+xml';

/** Types of text that have no signature: the name tells them. */
const TEXTS: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.ics': 'text/calendar',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.jsonl': 'application/x-ndjson',
  '.md': 'text/markdown',
  '.mjs': 'text/javascript',
  '.ndjson': 'application/x-ndjson',
  '.svg': SVG,
  '.tsv': 'text/tab-separated-values',
  '.xhtml': 'application/xhtml+xml',
  '.xml': XML,
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
};
/** Archives whose first entry does not tell what they are. */
const ARCHIVES: Readonly<Record<string, string>> = {
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};
const SVG_ELEMENT = /<svg[\s>:]/i;
const HTML_ELEMENT = /^<(!doctype\s+html|html|head|body|script|iframe)[\s>]/i;
/** Beginning of a text in which markup is looked for. */
const MARKUP_CHARACTERS = 4096;
/** Control characters that no text has; logs have escapes. */
const BINARY = /[^\P{Cc}\s\u{7F}-\u{9F}]/u;
const ESCAPE = '\u001B';

/** The media type of a file, from the beginning of its content and, among texts, its name. */
export async function sniffType(head: Uint8Array, filename: string): Promise<string> {
  const extension = extname(filename).toLowerCase();
  const marked = markedEncoding(head) && textOf(head);
  if (marked !== undefined) return typeOfText(marked, extension) ?? PLAIN;
  const { fileTypeFromBuffer } = await import('file-type'); // 40 modules that no start needs
  const found = (await fileTypeFromBuffer(head))?.mime;
  if (found === 'application/zip') return ARCHIVES[extension] ?? found;
  if (found !== undefined && found !== XML) return found;
  const text = textOf(head);
  if (text === undefined) return found ?? UNKNOWN;
  return typeOfText(text, extension) ?? found ?? PLAIN;
}

/** Browsers run scripts in these, whatever the name says. */
function markupType(begin: string): string | undefined {
  if (SVG_ELEMENT.test(begin)) return SVG;
  return HTML_ELEMENT.test(withoutComments(begin)) ? 'text/html' : undefined;
}

/** Without the white space and the comments at its beginning. */
function withoutComments(text: string): string {
  let rest = text.trimStart();
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->', 2); // <!--> is one, too
    if (end === -1) break;
    rest = rest.slice(end + 3).trimStart();
  }
  return rest;
}

function typeOfText(text: string, extension: string): string | undefined {
  return markupType(text.slice(0, MARKUP_CHARACTERS)) ?? TEXTS[extension];
}

/**
 * Undefined if it is neither UTF-8 nor marked UTF-16, or no text. A character may be cut off at the
 * end.
 */
function textOf(head: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder(markedEncoding(head) ?? 'utf-8', { fatal: true }).decode(head, {
      stream: head.length >= HEAD_BYTES,
    });
    return BINARY.test(text.replaceAll(ESCAPE, '')) ? undefined : text;
  } catch {
    return undefined;
  }
}
