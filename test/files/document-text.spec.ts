import { setImmediate } from 'node:timers/promises';
import { readDocument } from '../../src/files/extraction/document-text.js';
import type { DocumentKind, DocumentText } from '../../src/files/extraction/document-text.js';
import { collectGarbage } from '../support/collect-garbage.js';
import {
  makeDocx,
  makePdf,
  makePdfBomb,
  makePptx,
  makeXlsx,
  makeZip,
} from '../support/make-documents.js';

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

  it('reads the cells of an Excel workbook, sheet by sheet', async () => {
    const shared = ['<t>Name</t>', '<r><t>a &amp; </t></r><r><t>b</t></r><rPh><t>no</t></rPh>'];
    const bytes = makeXlsx(
      {
        Sums:
          '<row><c r="A1" t="s"><v>0</v></c><c r="C1"><f>1+1</f><v>2</v></c></row><row/>' +
          '<row><c t="s"><v>1</v></c><c t="inlineStr"><is><t>Grüße</t></is></c></row>',
        Empty: '',
      },
      shared,
    );
    const text = 'Sheet Sums\nName\t\t2\na & b\tGrüße\n\nSheet Empty';
    expect(await read('xlsx', bytes)).toEqual({ ok: true, text, is_cut: false });
  });

  it('reads the slides of a PowerPoint presentation', async () => {
    const text = 'Slide 1\nTitle\na & b\n\nSlide 2\nEnd';
    expect(await read('pptx', makePptx(['Title', 'a &amp; b'], ['End']))).toEqual({
      ...{ ok: true, text, is_cut: false },
    });
  });

  it('stops at the limit of characters', async () => {
    const pages = Array.from({ length: 50 }, () => 'abc '.repeat(100));
    const rows = pages.map((page) => `<row><c t="str"><v>${page}</v></c></row>`).join('');
    const documents = {
      ...{ pdf: makePdf(...pages), docx: makeDocx(...pages), pptx: makePptx(pages) },
      ...{ xlsx: makeXlsx({ Sheet: rows }) },
    };
    for (const [kind, bytes] of Object.entries(documents)) {
      const found = await read(kind as DocumentKind, bytes, { max_chars: 1_000 });
      expect(found).toMatchObject({ ok: true, is_cut: true });
      expect(found.ok && found.text).toHaveLength(1_000);
    }
  });

  it('unpacks no bomb', async () => {
    const zip = makeZip({ 'word/document.xml': ' '.repeat(100_000_000) }, 5);
    expect(await read('docx', zip)).toEqual(TOO_MUCH);
    expect(await read('pdf', makePdfBomb(200_000_000))).toEqual(TOO_MUCH);
    const bomb = makeZip({ 'any.bin': '0'.repeat(40_000_000) }, 5);
    for (const kind of ['xlsx', 'pptx'] as const) expect(await read(kind, bomb)).toEqual(TOO_MUCH);
  });

  it('reads no entry of a Word document that it did not count', async () => {
    const bytes = makeDocx('hidden');
    const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1');
    bytes.writeUInt16LE(0, end + 8);
    bytes.writeUInt16LE(0, end + 10); // entries, as its directory says
    expect(await read('docx', bytes)).toEqual(DAMAGED);
  });

  it('expands no entities that expand each other', async () => {
    const levels = Array.from({ length: 20 }, (_, n) => {
      return `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`;
    });
    const dtd = `<!DOCTYPE sst [<!ENTITY e0 "ha">${levels.join('')}]>`;
    const cell = '<row><c t="str"><v>&e20;</v></c></row>';
    const sheet = `${dtd}<worksheet>${cell}</worksheet>`;
    const bytes = makeZip({
      'xl/workbook.xml': '<workbook><sheet name="S" r:id="rId1"/></workbook>',
      'xl/_rels/workbook.xml.rels': '<a><Relationship Id="rId1" Target="worksheets/s.xml"/></a>',
      'xl/worksheets/s.xml': sheet,
    });
    expect(await read('xlsx', bytes)).toEqual(DAMAGED);
  });

  it('gives up what takes too much memory', async () => {
    const bytes = makeDocx('</w:t></w:r></w:p><w:p><w:r><w:t>'.repeat(600_000));
    const found = await read('docx', bytes, { time_ms: 3_000 });
    const faults = ['takes too long to read', 'takes too much memory to read'];
    expect(faults).toContain(!found.ok && found.fault);
  });

  it('gives up what is no document', async () => {
    expect(await read('pdf', Buffer.from('%PDF-1.4 junk'))).toEqual(DAMAGED);
    for (const kind of ['docx', 'xlsx', 'pptx'] as const) {
      expect(await read(kind, Buffer.from('PK junk'))).toEqual(DAMAGED);
      expect(await read(kind, makeZip({ 'other.xml': '<a/>' }))).toEqual(DAMAGED);
    }
    expect(await read('xlsx', makePptx(['Slide']))).toEqual(DAMAGED);
    expect(await read('xlsx', makeXlsx({ Broken: '<row><c></row>' }))).toEqual(DAMAGED);
    const whole = makeXlsx({ Sheet: '<row><c><v>1</v></c></row>' });
    for (let length = 0; length < whole.length; length += 400)
      expect(await read('xlsx', whole.subarray(0, length))).toEqual(DAMAGED);
  });

  it('says that it needs a password', async () => {
    const bytes = makeXlsx({ Sheet: '' });
    const at = bytes.lastIndexOf('PK\x01\x02', undefined, 'latin1');
    bytes.writeUInt16LE(1, at + 8); // a flag of the entry
    expect(await read('xlsx', bytes)).toEqual({ ok: false, fault: 'needs a password' });
  });

  it('gives up after its time, also when garbage is collected meanwhile', async () => {
    const pages = Array.from({ length: 2_000 }, () => 'x');
    const reading = read('pdf', makePdf(...pages), { time_ms: 300 });
    await setImmediate();
    collectGarbage();
    expect(await reading).toEqual({ ok: false, fault: 'takes too long to read' });
  });

  it('gives up when it is told to', async () => {
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(read('pdf', makePdf('x'), { signal })).rejects.toThrow('stopped');
  });
});
