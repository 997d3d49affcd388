import { posix } from 'node:path';
import { hasPart, walk, xmlOf } from './xml.js';

const WANTED = {
  docx: /\.(xml|rels)$/,
  xlsx: /^xl\/(workbook|sharedstrings|worksheets\/[^/]+|_rels\/workbook)\.xml(\.rels)?$/,
  pptx: /^ppt\/(presentation|slides\/[^/]+|_rels\/presentation)\.xml(\.rels)?$/,
};
/** Columns of a sheet: `XFD` is the last. */
const MAX_COLUMN = 16_384;

/** The entries of a document that its text is made of; see `partName`. */
export function partsOf(kind) {
  return WANTED[kind];
}

/**
 * The cells of all sheets as they are saved, a line for each row, with tabs between columns. It
 * ends after `most` characters.
 */
export function xlsxText(parts, most) {
  const shared = hasPart(parts, 'xl/sharedStrings.xml')
    ? strings(xmlOf(parts, 'xl/sharedStrings.xml'))
    : [];
  let text = '';
  for (const { name, path } of listed(parts, 'xl/workbook.xml', 'sheet')) {
    if (!hasPart(parts, path)) continue; // a chart, or a macro
    text += `${text && '\n'}Sheet ${name}\n`;
    text += sheetText(xmlOf(parts, path), shared, most - text.length);
    if (text.length > most) break;
  }
  return text.trim();
}

/** The texts of all slides, in their order. It ends after `most` characters. */
export function pptxText(parts, most) {
  const slides = [];
  let length = 0;
  for (const { path } of listed(parts, 'ppt/presentation.xml', 'sldId')) {
    if (length > most) break;
    const slide = `Slide ${slides.length + 1}\n${slideText(xmlOf(parts, path))}`;
    length += slide.length;
    slides.push(slide);
  }
  return slides.join('\n\n').trim();
}

/** The names and paths of the sheets or slides that the main part lists. */
function listed(parts, main, element) {
  const folder = posix.dirname(main);
  const targets = new Map();
  walk(xmlOf(parts, `${folder}/_rels/${posix.basename(main)}.rels`), {
    open(name, { Id, Target = '' }) {
      const path = Target.replaceAll('\\', '/');
      if (name === 'Relationship') targets.set(Id, posix.resolve('/', folder, path).slice(1));
    },
  });
  const found = [];
  walk(xmlOf(parts, main), {
    open(name, attributes) {
      if (name !== element) return;
      const [, id] = Object.entries(attributes).find(([key]) => key.endsWith(':id')) ?? [];
      if (targets.has(id)) found.push({ name: attributes.name ?? '', path: targets.get(id) });
    },
  });
  return found;
}

function strings(xml) {
  const found = [];
  let isPhonetic = false;
  walk(xml, {
    open(name) {
      if (name === 'si') found.push('');
      if (name === 'rPh') isPhonetic = true;
    },
    text(text, name) {
      if (name === 't' && !isPhonetic) found[found.length - 1] += text;
    },
    close(name) {
      if (name === 'rPh') isPhonetic = false;
    },
  });
  return found;
}

function sheetText(xml, shared, most) {
  let text = '';
  let row = [];
  let type;
  let value = '';
  walk(xml, {
    open(name, { r: place = '', t }) {
      if (name === 'row') row = [];
      if (name !== 'c') return;
      [type, value] = [t, ''];
      const column = columnOf(place);
      while (row.length < column) row.push('');
    },
    text(part, name) {
      if (name === 'v' || name === 't') value += part;
    },
    close(name) {
      if (name === 'c') row.push(type === 's' ? (shared[Number(value)] ?? '') : value);
      if (name === 'row' && row.some((cell) => cell !== '')) text += `${row.join('\t')}\n`;
    },
    isEnough: () => text.length > most,
  });
  return text;
}

/** Index of the column that a cell is in: 2 for `C12`; 0 if the place names no column. */
function columnOf(place) {
  const [letters = ''] = /^[A-Z]{1,3}/.exec(place) ?? [];
  const number = Array.from(letters).reduce((sum, each) => sum * 26 + each.charCodeAt(0) - 64, 0);
  return Math.min(Math.max(number - 1, 0), MAX_COLUMN);
}

function slideText(xml) {
  let text = '';
  walk(xml, {
    text(part, name) {
      if (name === 't') text += part;
    },
    close(name) {
      if (name === 'p' || name === 'br') text += '\n';
    },
  });
  return text.replaceAll(/\n{2,}/g, '\n').trim();
}
