import sax from 'sax';
import { partName } from './zip.js';

export function hasPart(parts, path) {
  return parts.has(partName(path));
}

export function xmlOf(parts, path) {
  const part = parts.get(partName(path));
  if (!part) throw new Error(`It has no ${path}.`);
  return new TextDecoder(part[0] === 0xff ? 'utf-16le' : 'utf-8', { fatal: true }).decode(part);
}

const DONE = new Error('Enough was read.');
const EMPTY = new Set();

/**
 * Names of elements are given without their namespace. Elements whose names are in `skipped` are
 * left out with their content, and so is the second version of a content that has two. Entities of
 * the document's own are errors, so that none is expanded.
 */
export function walk(xml, { open, text, close, isEnough, skipped = EMPTY }) {
  const parser = sax.parser(true);
  const names = [];
  let hidden = 0;
  const isSkipped = (name) => name === 'Fallback' || skipped.has(name);
  const onText = (part) => hidden === 0 && text?.(part, names.at(-1));
  Object.assign(parser, {
    onerror(error) {
      throw error;
    },
    onopentag({ name, attributes }) {
      const parent = names.at(-1);
      names.push(name.slice(name.indexOf(':') + 1));
      if (hidden === 0) open?.(names.at(-1), attributes, parent);
      if (isSkipped(names.at(-1))) hidden++;
    },
    ontext: onText,
    oncdata: onText,
    onclosetag() {
      const name = names.pop();
      if (isSkipped(name)) hidden--;
      if (hidden === 0) close?.(name);
      if (isEnough?.()) throw DONE;
    },
  });
  try {
    parser.write(xml).close();
  } catch (error) {
    if (error !== DONE) throw error;
  }
}
