import { compileGlob } from '../../matching/glob.js';

/** Whether a file is one of those that a glob means: by its name in any folder, or with a slash by its path below `at`. */
export function fileMatcher(glob: string | undefined, at: string): (path: string) => boolean {
  if (glob === undefined) return () => true;
  const plain = glob.replace(/^(?:\.?\/)+/, '');
  const wanted = compileGlob(glob.includes('/') ? plain : `**/${plain}`);
  return (path) => wanted.covers(at === '' ? path : path.slice(at.length + 1)) === true;
}
