import { normalizeText } from '../kernel/text/normalize-text.js';
import { withoutUnseen } from '../kernel/text/without-unseen.js';
import { refused } from './workspace-fault.js';

const MAX_PATH_BYTES = 4096;
const MAX_NAME_BYTES = 255;

const ABSOLUTE = 'paths are relative to the workspace, and this one is absolute';
const LEAVES = 'it leads out of the workspace';

/** Each rule is tested on the whole path. */
const PATH_RULES: readonly (readonly [RegExp, string])[] = [
  [/\0/, 'it has a NUL character in it'],
  [/^\//, ABSOLUTE],
  [/^[A-Za-z]:/, `${ABSOLUTE} (a drive)`],
  [/^\\\\/, `${ABSOLUTE} (a network share)`],
  [/\\/, 'folders are separated by "/", and "\\" may not be part of a name'],
  [/^[A-Za-z][\w+.-]*:\/\//, 'it is a URL'],
  [/^~/, 'no home folder is meant here; write ./~ for a name that begins with "~"'],
];

const NAME_RULES: readonly (readonly [RegExp, string])[] = [
  [/^\.\.$/, `${LEAVES}, or may: ".." is not allowed`],
  [/^[. ]+$/, 'a name of nothing but dots and spaces can be taken for ".."'],
];

/** Rules for Windows, where these are not valid file names. */
const WINDOWS_RULES: readonly (readonly [RegExp, string])[] = [
  [/^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\..*)?$/i, 'it is the name of a device'],
  [/[<>:"|?*]/, 'it has a character in it that a name may not have here'],
  [/[. ]$/, 'a name may not end in a dot or a space here'],
];

/**
 * The names on the way from the workspace's root to a file; empty for the root itself.
 * @throws WorkspaceFault `refused` for every path that could lead out, now or after normalization
 */
export function parsePath(path: string, platform: NodeJS.Platform = process.platform): string[] {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw refused(path, 'it is too long');
  check(path, path, PATH_RULES);
  if (withoutUnseen(path) !== path) throw refused(path, 'it contains an invisible character');
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  for (const name of names) checkName(path, name, platform);
  return names;
}

/** True for the folder `.git` and what is in it: files that name programs that Git runs. */
export function isInGitFolder(path: string): boolean {
  return path.toLowerCase().split('/').includes('.git');
}

function checkName(path: string, name: string, platform: NodeJS.Platform): void {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw refused(path, 'a name in it is too long');
  check(path, name, NAME_RULES);
  const plain = normalizeText(name, 'NFKC');
  if (plain !== name && (/[/\\]/.test(plain) || /^[. ]+$/.test(plain)))
    throw refused(path, 'it has a character in it that looks like "/", "\\" or ".."');
  if (platform === 'win32') check(path, name, WINDOWS_RULES);
}

function check(path: string, text: string, rules: readonly (readonly [RegExp, string])[]): void {
  const broken = rules.find(([pattern]) => pattern.test(text));
  if (broken) throw refused(path, broken[1]);
}
