import { normalizeText } from '../../kernel/normalize-text.js';

/** Bytes of UTF-8, the most that common file systems take. */
const MAX_BYTES = 255;
/** Characters of an extension that a shortened name keeps. */
const MAX_EXTENSION = 20;
const FALLBACK = 'file';
/** Controls, and characters that are invisible or change the direction of the text around them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The name of an uploaded file without what is no name: folders, controls, excess length. */
export function cleanFilename(sent: string): string {
  const base = normalizeText(sent.toWellFormed(), 'NFC').split(/[/\\]/).at(-1) ?? '';
  const seen = base.replaceAll(UNSEEN, '').trim();
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
  return stem + extension;
}
