import { posix } from 'node:path';
import { codePoint } from 'dingbat-to-unicode';
import { hasPart, walk, xmlOf } from './xml.js';

/** Definitions of tab stops, deleted or moved text, and how a text is pronounced. */
const SKIPPED = new Set(['tabs', 'del', 'moveFrom', 'rt']);
const CHARACTERS = new Map([
  ['br', '\n'],
  ['cr', '\n'],
  ['tab', '\t'],
  ['ptab', '\t'],
  ['noBreakHyphen', '\u2011'],
  ['softHyphen', '\u00ad'],
]);
const NOTES = ['footnote', 'endnote'];

/**
 * The paragraphs of a document, then its notes. A text box comes before the paragraph that holds
 * it. It ends after `most` characters.
 */
export function docxText(parts, most) {
  const main = mainPart(parts);
  const labels = new Map();
  let text = paragraphs(xmlOf(parts, main), labels, most);
  for (const note of NOTES) {
    const path = posix.join(posix.dirname(main), `${note}s.xml`);
    if (text.length <= most && hasPart(parts, path))
      text += paragraphs(xmlOf(parts, path), labels, most - text.length);
  }
  return text.replaceAll(/\n{3,}/g, '\n\n').trim();
}

function mainPart(parts) {
  let path = 'word/document.xml';
  if (!hasPart(parts, '_rels/.rels')) return path;
  walk(xmlOf(parts, '_rels/.rels'), {
    open(_, { Type = '', Target = '' }) {
      if (Type.endsWith('/officeDocument') && hasPart(parts, Target)) path = Target;
    },
  });
  return path;
}

/** `labels`: of the notes, by kind and id. The main part, which refers to them, adds them. */
function paragraphs(xml, labels, most) {
  let text = '';
  const open = [{ text: '', end: '' }];
  walk(xml, {
    skipped: SKIPPED,
    open(name, attributes, parent) {
      if (name === 'p') open.push({ text: '', end: '\n\n' });
      else if (parent === 'rPr' && SKIPPED.has(name))
        open.at(-1).end = ''; // its end is deleted
      else if (NOTES.includes(name)) text += labels.get(noteKey(name, attributes)) ?? '';
      else open.at(-1).text += charactersOf(name, attributes, labels);
    },
    text(part, name) {
      if (name === 't') open.at(-1).text += part;
    },
    close(name) {
      if (name !== 'p') return;
      const paragraph = open.pop();
      text += paragraph.text + paragraph.end;
    },
    isEnough: () => text.length > most,
  });
  return text;
}

function charactersOf(name, attributes, labels) {
  if (name === 'sym') return symbolOf(attributes);
  const note = NOTES.find((each) => name === `${each}Reference`);
  if (!note) return CHARACTERS.get(name) ?? '';
  const label = `[note ${labels.size + 1}]`;
  labels.set(noteKey(note, attributes), label);
  return label;
}

function noteKey(note, attributes) {
  return `${note} ${valueOf(attributes, 'id')}`;
}

/** A character of a font that has signs in place of letters. */
function symbolOf(attributes) {
  const font = valueOf(attributes, 'font');
  const code = parseInt(valueOf(attributes, 'char'), 16);
  return (codePoint(font, code) ?? codePoint(font, code & 0xff))?.string ?? '';
}

function valueOf(attributes, name) {
  return Object.entries(attributes).find(([key]) => key.endsWith(`:${name}`))?.[1] ?? '';
}
