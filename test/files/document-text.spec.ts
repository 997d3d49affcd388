import { setImmediate } from 'node:timers/promises';
import { readDocument } from '../../src/files/extraction/document-text.js';
import type { DocumentKind, DocumentText } from '../../src/files/extraction/document-text.js';
import { collectGarbage } from '../support/collect-garbage.js';
import {
  makeDocx,
  makeDocxOf,
  makePdf,
  makePdfBomb,
  makePptx,
  makeXlsx,
  makeZip,
} from '../support/make-documents.js';

const TOO_MUCH = { ok: false, fault: 'unpacks to too much' };
const DAMAGED = { ok: false, fault: 'is damaged' };

/** A run of a Word document. */
function run(text: string): string {
  return `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
}

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

  it('keeps the line breaks, tabs and hyphens of a Word document', async () => {
    const body =
      '<w:p><w:pPr><w:tabs><w:tab w:val="left" w:pos="720"/></w:tabs></w:pPr><w:r>' +
      '<w:t>Main Street 1</w:t><w:br/><w:t>Springfield</w:t><w:cr/><w:t>Total</w:t><w:tab/>' +
      '<w:t>12</w:t><w:ptab w:relativeTo="margin"/><w:t>kg</w:t><w:br w:type="page"/>' +
      '<w:t>e</w:t><w:noBreakHyphen/><w:t>mail</w:t><w:softHyphen/><w:t>s</w:t></w:r></w:p>';
    const text = 'Main Street 1\nSpringfield\nTotal\t12\tkg\ne\u2011mail\u00ads';
    expect(await read('docx', makeDocxOf(body))).toEqual({ ok: true, text, is_cut: false });
  });

  it('reads the values of the fields of a Word document, not their instructions', async () => {
    const body =
      `<w:p>${run('Dear ')}<w:fldSimple w:instr=" MERGEFIELD Name ">${run('Ms Doe')}</w:fldSimple>` +
      `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> DATE </w:instrText></w:r>` +
      `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${run(', 1 May ')}` +
      `<w:r><w:fldChar w:fldCharType="end"/></w:r>` +
      `<w:sdt><w:sdtPr><w:alias w:val="Year"/></w:sdtPr><w:sdtContent>${run('2026')}</w:sdtContent></w:sdt>` +
      `<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="1"/></w14:checkbox></w:sdtPr>` +
      `<w:sdtContent>${run('☒')}</w:sdtContent></w:sdt></w:p>`;
    const text = 'Dear Ms Doe, 1 May 2026☒';
    expect(await read('docx', makeDocxOf(body))).toEqual({ ok: true, text, is_cut: false });
  });

  it('reads a Word document with its changes accepted', async () => {
    const deleted = '<w:del><w:r><w:delText>old</w:delText><w:br/></w:r></w:del>';
    const body =
      `<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>${run('a ')}${deleted}</w:p>` +
      `<w:p><w:ins>${run('new')}</w:ins><w:moveFrom>${run('there')}</w:moveFrom></w:p>` +
      `<w:p><w:moveTo>${run('there')}</w:moveTo></w:p>`;
    const text = 'a new\n\nthere';
    expect(await read('docx', makeDocxOf(body))).toEqual({ ok: true, text, is_cut: false });
  });

  it('reads notes, text boxes, bidirectional text and symbols of a Word document', async () => {
    const box = `<w:txbxContent><w:p>${run('box')}</w:p></w:txbxContent>`;
    const body =
      `<w:p>${run('see')}<w:r><w:footnoteReference w:id="2"/></w:r><w:bdo>${run(' rtl ')}</w:bdo>` +
      `<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r><w:r><mc:AlternateContent>` +
      `<mc:Choice>${box}</mc:Choice><mc:Fallback>${box}</mc:Fallback></mc:AlternateContent></w:r>` +
      `<w:r><w:endnoteReference w:id="2"/></w:r></w:p>`;
    const bytes = makeDocxOf(body, {
      'word/footnotes.xml': `<w:footnotes><w:footnote w:id="0" w:type="separator"><w:p/></w:footnote><w:footnote w:id="2"><w:p>${run(' below')}</w:p></w:footnote></w:footnotes>`,
      'word/endnotes.xml': `<w:endnotes><w:endnote w:id="2"><w:p>${run(' last')}</w:p></w:endnote></w:endnotes>`,
    });
    const text = 'box\n\nsee[note 1] rtl ✓[note 2]\n\n[note 1] below\n\n[note 2] last';
    expect(await read('docx', bytes)).toEqual({ ok: true, text, is_cut: false });
  });

  it('reads the parts of a document however its archive spells their names', async () => {
    const spelled = (bytes: Buffer, from: string, to: string) =>
      Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1');
    const sheet = makeXlsx({ S: '<row><c t="s"><v>0</v></c></row>' }, ['<t>a</t>']);
    const cells = { ok: true, text: 'Sheet S\na', is_cut: false };
    expect(await read('xlsx', spelled(sheet, 'xl/', 'xl\\'))).toEqual(cells);
    expect(await read('xlsx', spelled(sheet, 'xl/sharedStrings', 'XL/SharedStrings'))).toEqual(
      cells,
    );
    const slide = { ok: true, text: 'Slide 1\na', is_cut: false };
    expect(await read('pptx', spelled(makePptx(['a']), 'ppt/', 'PPT\\'))).toEqual(slide);
    const body = { ok: true, text: 'a', is_cut: false };
    expect(await read('docx', spelled(makeDocx('a'), 'word/', 'word\\'))).toEqual(body);
    for (const start of ['/', './']) {
      const bytes = makeZip({
        [`${start}word/document.xml`]: `<document><p><t>a</t></p></document>`,
      });
      expect(await read('docx', bytes)).toEqual(body);
    }
  });

  it('reads content of a PowerPoint presentation that has two versions once', async () => {
    const text =
      '</a:t></a:r><mc:AlternateContent><mc:Choice><a:r><a:t>new</a:t></a:r></mc:Choice><mc:Fallback><a:r><a:t>old</a:t></a:r></mc:Fallback></mc:AlternateContent><a:r><a:t>';
    expect(await read('pptx', makePptx([text]))).toMatchObject({ ok: true, text: 'Slide 1\nnew' });
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
    const bytes = makeDocx('<w:x>'.repeat(5_000_000));
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
