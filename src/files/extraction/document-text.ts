import { ReaderThreads } from '../../kernel/async/reader-threads.js';
import type { ThreadLimits, Unreadable } from '../../kernel/async/reader-threads.js';

/** Bytes unpacked from a document: at once for a PDF, in total for the others. */
const MAX_INFLATED = 32 * 1024 * 1024;
const THREADS = new ReaderThreads<DocumentText>(new URL('./worker/worker.js', import.meta.url), 2);

export type DocumentKind = 'pdf' | 'docx' | 'xlsx' | 'pptx';

export type DocumentText =
  { readonly ok: true; readonly text: string; readonly is_cut: boolean } | Unreadable;

export interface DocumentLimits extends ThreadLimits {
  readonly max_chars: number;
}

const KINDS: Readonly<Record<string, DocumentKind>> = {
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
};

export function documentKind(mime_type: string): DocumentKind | undefined {
  return KINDS[mime_type];
}

/** The text of a document, read in a thread of its own. @throws the signal's reason */
export function readDocument(
  kind: DocumentKind,
  bytes: Buffer,
  { max_chars, ...limits }: DocumentLimits,
): Promise<DocumentText> {
  return THREADS.read(bytes, { kind, max_chars, max_inflated: MAX_INFLATED }, limits);
}
