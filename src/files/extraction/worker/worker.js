// Entry point of the worker thread that reads the text of one document. Plain JavaScript: a worker
// loads it without a build step. What it reads is hostile: its thread has limits of time and heap,
// and `boundBuffers` limits what is outside of the heap.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { partsOf, pptxText, xlsxText } from './office.js';
import { docxText } from './word.js';
import { PasswordNeeded, readZip } from './zip.js';

const { kind, bytes, max_chars, max_inflated } = workerData;
const packages = createRequire(import.meta.url);
/** A buffer was larger than allowed; pdf.js hides that. */
let wasRefused = false;

const TEXTS = { docx: docxText, xlsx: xlsxText, pptx: pptxText };

const reading = kind === 'pdf' ? readPdf(bytes) : readOffice(bytes);
parentPort.postMessage(await reading.catch(toFault));

function toFault(error) {
  const isLocked = error?.name === 'PasswordException' || error instanceof PasswordNeeded;
  const isHuge = wasRefused || (error instanceof RangeError && error.code !== 'ERR_OUT_OF_RANGE');
  const fault = isLocked ? 'needs a password' : isHuge ? 'unpacks to too much' : 'is damaged';
  return { ok: false, fault };
}

async function readPdf(data) {
  boundBuffers();
  withoutRendering();
  const folder = dirname(packages.resolve('pdfjs-dist/package.json'));
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const { promise } = getDocument({
    data,
    cMapUrl: join(folder, 'cmaps/'),
    cMapPacked: true,
    standardFontDataUrl: join(folder, 'standard_fonts/'),
    disableFontFace: true,
    isEvalSupported: false,
    useWasm: false,
    verbosity: 0,
  });
  const document = await promise;
  const pages = document.numPages;
  let text = '';
  for (let number = 1; number <= pages; number++) {
    if (text.length > max_chars) break;
    const page = await document.getPage(number);
    text += `${text && '\n\n'}${await pageText(page)}`;
    page.cleanup();
  }
  return shortened(text);
}

/** Reads the text of a page while there is room: a page may have any amount of text. */
async function pageText(page) {
  let text = '';
  const reader = page.streamTextContent().getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text.trim();
    for (const { str = '', hasEOL } of value.items) text += hasEOL ? `${str}\n` : str;
    if (text.length > max_chars) return text;
  }
}

async function readOffice(data) {
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const parts = readZip(buffer, { limit: max_inflated, wanted: partsOf(kind) });
  return shortened(TEXTS[kind](parts, max_chars));
}

function shortened(text) {
  const cut = text.length > max_chars;
  const whole = text.toWellFormed().replaceAll('\0', '�');
  return { ok: true, text: cut ? whole.slice(0, max_chars).toWellFormed() : whole, is_cut: cut };
}

/** No buffer outside of the heap may be larger than this: `resourceLimits` does not count them. */
function boundBuffers() {
  globalThis.Uint8Array = new Proxy(Uint8Array, {
    construct(target, args, made) {
      wasRefused ||= typeof args[0] === 'number' && args[0] > max_inflated;
      if (wasRefused) throw new RangeError('It unpacks to too much.');
      return Reflect.construct(target, args, made === globalThis.Uint8Array ? target : made);
    },
  });
  // It inflates without a limit; without it, pdf.js uses its own decoder.
  delete globalThis.DecompressionStream;
}

function refuseToLoad() {
  throw new Error('Nothing is rendered.');
}

/** Text needs no canvas, which pdf.js would load as a native library. */
function withoutRendering() {
  for (const name of ['DOMMatrix', 'ImageData', 'Path2D']) globalThis[name] ??= Object;
  const real = process.getBuiltinModule.bind(process);
  process.getBuiltinModule = (name) =>
    name === 'module' ? { createRequire: () => refuseToLoad } : real(name);
}
