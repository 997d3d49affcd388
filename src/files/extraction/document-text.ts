import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const WORKER = new URL('./worker/worker.js', import.meta.url);
/** Of the thread's heap. */
const HEAP = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
/** Bytes unpacked from a document: at once for a PDF, in total for the others. */
const MAX_INFLATED = 32 * 1024 * 1024;
const TIME_MS = 20_000;
/** Documents that a process reads at once. */
const ABREAST = 2;

export type DocumentKind = 'pdf' | 'docx' | 'xlsx' | 'pptx';

export type DocumentText =
  | { readonly ok: true; readonly text: string; readonly is_cut: boolean }
  /** `fault`: the end of a sentence that begins with the name of the document. */
  | { readonly ok: false; readonly fault: string };

export interface DocumentLimits {
  readonly max_chars: number;
  readonly signal: AbortSignal;
  readonly time_ms?: number;
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

let running = 0;
const waiting: (() => void)[] = [];

/**
 * The text of a document, read in a thread of its own with limits of time and memory, because a
 * small hostile document may unpack to any size. Takes the bytes over.
 * @throws the signal's reason
 */
export async function readDocument(
  kind: DocumentKind,
  bytes: Buffer,
  limits: DocumentLimits,
): Promise<DocumentText> {
  if (running >= ABREAST) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  if (limits.signal.aborted) release();
  limits.signal.throwIfAborted();
  const worker = startThread(kind, bytes, limits);
  try {
    return await answerOf(worker, limits);
  } finally {
    // A thread that is out of memory may take a minute to end; only the next document waits for it.
    void worker.terminate().then(release);
  }
}

function release(): void {
  const next = waiting.shift();
  if (next) next();
  else running--;
}

function startThread(kind: DocumentKind, bytes: Buffer, { max_chars }: DocumentLimits): Worker {
  const copy = new Uint8Array(bytes);
  const worker = new Worker(WORKER, {
    workerData: { kind, bytes: copy, max_chars, max_inflated: MAX_INFLATED },
    transferList: [copy.buffer],
    ...{ env: {}, execArgv: [], stdin: false, stdout: true, stderr: true },
    resourceLimits: HEAP,
  });
  return worker.on('error', () => {}); // also one after its answer, which nobody waits for
}

async function answerOf(
  worker: Worker,
  { signal, time_ms = TIME_MS }: DocumentLimits,
): Promise<DocumentText> {
  // Not AbortSignal.timeout: in AbortSignal.any, it may be collected before it aborts.
  const time = new AbortController();
  const timer = setTimeout(() => time.abort(), time_ms);
  const limit = AbortSignal.any([signal, time.signal]);
  try {
    const [answer] = (await once(worker, 'message', { signal: limit })) as [DocumentText];
    return answer;
  } catch (error) {
    signal.throwIfAborted();
    if (time.signal.aborted) return { ok: false, fault: 'takes too long to read' };
    const { code } = error as NodeJS.ErrnoException;
    const isMemory = code === 'ERR_WORKER_OUT_OF_MEMORY';
    return { ok: false, fault: isMemory ? 'takes too much memory to read' : 'is damaged' };
  } finally {
    clearTimeout(timer);
  }
}
