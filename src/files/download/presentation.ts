import { create } from 'content-disposition';
import type { FileRow } from '../file-catalog.js';

/**
 * Types that a browser may show inline. A type that can carry scripts (HTML, SVG, PDF) is not among
 * them, although the sandboxing CSP would stop its scripts as well.
 */
const SHOWN = /^(text\/plain|image\/(png|jpeg|gif|webp|avif|bmp)|(audio|video)\/[\w.+-]+)$/;

/** The headers by which a file is served. */
export function presentationOf({ filename, mime_type }: Pick<FileRow, 'filename' | 'mime_type'>): {
  readonly type: string;
  readonly disposition: string;
} {
  const isText = mime_type.startsWith('text/');
  return {
    type: isText ? `${mime_type}; charset=utf-8` : mime_type,
    disposition: create(filename, { type: SHOWN.test(mime_type) ? 'inline' : 'attachment' }),
  };
}
