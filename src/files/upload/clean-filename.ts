import { normalizeText } from '../../kernel/text/normalize-text.js';
import { withoutUnseen } from '../../kernel/text/without-unseen.js';

/** Bytes of UTF-8, the most that common file systems take. */
const MAX_BYTES = 255;
/** Characters of an extension that a shortened name keeps. */
const MAX_EXTENSION = 20;
const FALLBACK = 'file';

/** The name of an uploaded file without folders, unseen characters and excess length. */
export function cleanFilename(sent: string): string {
  const base = normalizeText(sent.toWellFormed(), 'NFC').split(/[/\\]/).at(-1) ?? '';
  const seen = withoutUnseen(base).trim();
  return /^\.*$/.test(seen) ? FALLBACK : shorten(seen);
}

function shorten(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= MAX_EXTENSION ? name.slice(dot) : '';
  const room = MAX_BYTES - Buffer.byteLength(extension);
  let stem = '';
  let bytes = 0;
  for (const { segment } of new Intl.Segmenter().segment(name)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > room) break;
    stem += segment;
  }
  return withoutUnseen(stem + extension); // a joiner may have lost its neighbour
}
