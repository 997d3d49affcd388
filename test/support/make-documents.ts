import { crc32, deflateRawSync, deflateSync } from 'node:zlib';

/** A PDF with a page for each text. */
export function makePdf(...pages: readonly string[]): Buffer<ArrayBuffer> {
  return pdfOf(pages.map((text) => Buffer.from(`BT /F1 12 Tf 72 720 Td (${text}) Tj ET`)));
}

/** A small PDF whose page unpacks to this many bytes. */
export function makePdfBomb(bytes: number): Buffer<ArrayBuffer> {
  return pdfOf([Buffer.alloc(bytes, ' ')]);
}

function pdfOf(contents: readonly Buffer[]): Buffer<ArrayBuffer> {
  const kids = contents.map((_, n) => `${4 + n * 2} 0 R`).join(' ');
  const objects = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
    ...contents.flatMap((content, n) => {
      const packed = deflateSync(content);
      const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + n * 2} 0 R >>`;
      const head = `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`;
      return [
        Buffer.from(page),
        Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream')]),
      ];
    }),
  ];
  const parts = [Buffer.from('%PDF-1.4\n')];
  const offsets = objects.map((object, n) => {
    const offset = Buffer.concat(parts).length;
    parts.push(Buffer.from(`${n + 1} 0 obj\n`), object, Buffer.from('\nendobj\n'));
    return offset;
  });
  const start = Buffer.concat(parts).length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

const TYPES =
  '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';
const RELATIONS =
  '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>';

/** A Word document with these paragraphs. */
export function makeDocx(...paragraphs: readonly string[]): Buffer<ArrayBuffer> {
  return makeDocxOf(paragraphs.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join(''));
}

/** A Word document with this body, as XML, and other parts. */
export function makeDocxOf(
  body: string,
  parts: Readonly<Record<string, string>> = {},
): Buffer<ArrayBuffer> {
  return makeZip({
    '[Content_Types].xml': TYPES,
    '_rels/.rels': RELATIONS,
    'word/document.xml': `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
    ...parts,
  });
}

/** `claimed`: the size that the entries say they unpack to. */
export function makeZip(
  entries: Readonly<Record<string, string>>,
  claimed?: number,
): Buffer<ArrayBuffer> {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(entries)) {
    const data = deflateRawSync(content);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(8, 4);
    head.writeUInt32LE(crc32(content), 10);
    head.writeUInt32LE(data.length, 14);
    head.writeUInt32LE(claimed ?? Buffer.byteLength(content), 18);
    head.writeUInt16LE(Buffer.byteLength(name), 22);
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), head, Buffer.from(name), data]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    files.push(file);
    directory.push(
      Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), head, rest, Buffer.from(name)]),
    );
    offset += file.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, list, Buffer.from('PK\x05\x06'), end]);
}

const RELATION = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006/main';

/** The relationships of a part to these others, `rId1` and so on. */
function relations(...targets: readonly string[]): string {
  const all = targets.map((to, n) => `<Relationship Id="rId${n + 1}" Target="${to}"/>`).join('');
  return `<?xml version="1.0"?><Relationships>${all}</Relationships>`;
}

/**
 * An Excel workbook with a sheet for each list of rows of cells, as XML; `shared`: texts as XML.
 */
export function makeXlsx(
  sheets: Readonly<Record<string, string>>,
  shared: readonly string[] = [],
): Buffer<ArrayBuffer> {
  const names = Object.keys(sheets);
  const listed = names.map(
    (name, n) => `<sheet name="${name}" sheetId="${n + 1}" r:id="rId${n + 1}"/>`,
  );
  const parts = Object.values(sheets).map((rows, n) => [
    `xl/worksheets/sheet${n + 1}.xml`,
    `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  ]);
  return makeZip({
    'xl/workbook.xml': `<workbook xmlns:r="${RELATION}"><sheets>${listed.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(...names.map((_, n) => `worksheets/sheet${n + 1}.xml`)),
    'xl/sharedStrings.xml': `<sst>${shared.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    ...(Object.fromEntries(parts) as Record<string, string>),
  });
}

/** A PowerPoint presentation with these slides of paragraphs. */
export function makePptx(...slides: readonly (readonly string[])[]): Buffer<ArrayBuffer> {
  const listed = slides.map((_, n) => `<p:sldId id="${256 + n}" r:id="rId${n + 1}"/>`).join('');
  const parts = slides.map((paragraphs, n) => [
    `ppt/slides/slide${n + 1}.xml`,
    `<p:sld xmlns:p="p" xmlns:a="${DRAWING}">${paragraphs.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join('')}</p:sld>`,
  ]);
  return makeZip({
    'ppt/presentation.xml': `<p:presentation xmlns:p="p" xmlns:r="${RELATION}"><p:sldIdLst>${listed}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      ...slides.map((_, n) => `slides/slide${n + 1}.xml`),
    ),
    ...(Object.fromEntries(parts) as Record<string, string>),
  });
}
