import { normalizeText } from '../../kernel/text/normalize-text.js';
import { compileGlob } from '../../matching/glob.js';

/** A predicate over paths, in which canonically equivalent spellings are the same. */
export function compilePathGlob(glob: string): (path: string) => boolean {
  const wanted = compileGlob(normalizeText(glob, 'NFC'));
  return (path) => wanted.covers(normalizeText(path, 'NFC')) === true;
}
