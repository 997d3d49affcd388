import { readDocument } from '../../src/files/extraction/document-text.js';
import type { DocumentKind, DocumentText } from '../../src/files/extraction/document-text.js';
import { makeDocx, makePdf, makePdfBomb, makeZip } from '../support/make-documents.js';

const TOO_MUCH = { ok: false, fault: 'unpacks to too much' };
const DAMAGED = { ok: false, fault: 'is damaged' };

function read(kind: DocumentKind, bytes: Buffer, limits = {}): Promise<DocumentText> {
  const { signal } = new AbortController();
  return readDocument(kind, bytes, { max_chars: 100_000, signal, ...limits });
}

describe(readDocument.name, () => {
  it('reads the pages of a PDF', async () => {
    const text = 'Hello\n\nPage two';
    expect(await read('pdf', makePdf('Hello', 'Page two'))).toEqual({
      ...{ ok: true, text, is_cut: false },
    });
  });

  it('reads the paragraphs of a Word document', async () => {
    const text = 'Grüße\n\na & b';
    expect(await read('docx', makeDocx('Grüße', 'a &amp; b'))).toEqual({
      ...{ ok: true, text, is_cut: false },
    });
  });

  it('stops at the limit of characters', async () => {
    const pages = Array.from({ length: 50 }, () => 'abc '.repeat(100));
    for (const bytes of [makePdf(...pages), makeDocx(...pages)]) {
      const kind = bytes.toString('latin1', 0, 4) === '%PDF' ? 'pdf' : 'docx';
      const found = await read(kind, bytes, { max_chars: 1_000 });
      expect(found).toMatchObject({ ok: true, is_cut: true });
      expect(found.ok && found.text).toHaveLength(1_000);
    }
  });

  it('unpacks no bomb', async () => {
    const zip = makeZip({ 'word/document.xml': ' '.repeat(100_000_000) }, 5);
    expect(await read('docx', zip)).toEqual(TOO_MUCH);
    expect(await read('pdf', makePdfBomb(200_000_000))).toEqual(TOO_MUCH);
  });

  it('gives up what takes too much memory', async () => {
    const bytes = makeDocx('</w:t></w:r></w:p><w:p><w:r><w:t>'.repeat(600_000));
    const found = await read('docx', bytes, { time_ms: 3_000 });
    const faults = ['takes too long to read', 'takes too much memory to read'];
    expect(faults).toContain(!found.ok && found.fault);
  });

  it('gives up what is no document', async () => {
    expect(await read('pdf', Buffer.from('%PDF-1.4 junk'))).toEqual(DAMAGED);
    expect(await read('docx', Buffer.from('PK junk'))).toEqual(DAMAGED);
  });

  it('gives up after its time, and when it is told to', async () => {
    const pages = Array.from({ length: 500 }, () => 'x');
    const slow = { ok: false, fault: 'takes too long to read' };
    expect(await read('pdf', makePdf(...pages), { time_ms: 50 })).toEqual(slow);
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(read('pdf', makePdf('x'), { signal })).rejects.toThrow('stopped');
  });
});
