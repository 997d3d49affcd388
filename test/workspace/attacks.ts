/**
 * What is made before the attack, in a workspace `work` beside `secret.txt`,
 * `workspace2/secret.txt` and `outside/secret.txt`.
 */
export interface Attack {
  readonly why: string;
  readonly path: string;
  /**
   * Links by name, to what they point at; `<base>` is the absolute path of the folder that the
   * workspace is in.
   */
  readonly links?: Readonly<Record<string, string>>;
  /** `fifo`, `socket`, `hard` (a hard link to the secret) by name. */
  readonly special?: Readonly<Record<string, 'fifo' | 'socket' | 'hard'>>;
  /** How else it may be turned down than by a refusal. */
  readonly code?: 'missing' | 'unsuitable';
}

const textual = (why: string, ...paths: string[]): Attack[] => paths.map((path) => ({ why, path }));

/** Every path has to be turned down before anything is opened. */
export const SPELLINGS: readonly Attack[] = [
  ...textual(
    'parent',
    '..',
    '../',
    './..',
    '../secret.txt',
    '../../etc/passwd',
    '../work/../secret.txt',
  ),
  ...textual(
    'parent in the middle',
    'a/..',
    'a/../b',
    'a/../../secret.txt',
    'a/./../../secret.txt',
  ),
  ...textual(
    'parent after slashes',
    './/../secret.txt',
    'a//..//..//secret.txt',
    './././../secret.txt',
  ),
  ...textual('parent that comes back', '../work/inside.txt', 'a/../inside.txt'),
  ...textual('prefix', '../workspace2/secret.txt', '../work2', '../work/../workspace2/secret.txt'),
  ...textual(
    'absolute',
    '/',
    '/etc/passwd',
    '//etc/passwd',
    '///etc',
    '/./etc/passwd',
    '/proc/self/environ',
    '/dev/zero',
  ),
  ...textual('drive', 'C:\\Windows', 'C:/Windows', 'c:secret.txt', 'Z:', 'C:..\\secret.txt'),
  ...textual('share', '\\\\host\\share', '//host/share', '\\\\?\\C:\\x', '\\\\.\\pipe\\x'),
  ...textual(
    'backslash',
    '..\\secret.txt',
    'a\\..\\..\\secret.txt',
    '\\etc\\passwd',
    'a\\b',
    '..\\/secret.txt',
  ),
  ...textual('NUL', '\0', 'inside.txt\0', 'inside.txt\0.png', '../secret.txt\0', '\0/etc/passwd'),
  ...textual('home', '~', '~/secret.txt', '~root/secret.txt', '~+/../secret.txt'),
  ...textual(
    'URL',
    'file:///etc/passwd',
    'FILE://host/etc',
    'http://example.org/x',
    'vscode-remote://x',
  ),
  ...textual(
    'dots and spaces',
    '.. ',
    '.. /secret.txt',
    '. ./secret.txt',
    '...',
    '.../secret.txt',
    ' ..',
    ' ',
  ),
  ...textual(
    'wide dots',
    '．．/secret.txt',
    '.．/secret.txt',
    '‥/secret.txt',
    '…',
    '․․/secret.txt',
  ),
  ...textual('wide slashes', '..／secret.txt', 'a／..／..／secret.txt', '..＼secret.txt', 'a﹨b'),
  ...textual(
    'invisible',
    '.\u200b./secret.txt',
    '..\u200d/secret.txt',
    '\u2066../secret.txt',
    '.\u00ad./x',
    '\ufeff../x',
    '.g\u200cit/config',
    'inside\ufe0f.txt',
    'in\u200dside.txt',
    '😀\u200d.txt',
    'ن\u200c\u200cب',
  ),
  ...textual('direction', 'inside\u202etxt.exe', '\u202e../secret.txt', 'a\u2067b'),
  ...textual(
    'control',
    '..\n/secret.txt',
    'inside.txt\r',
    'a\tb',
    '\u001b[2Jx',
    'a\u0085b',
    'a\u2028b',
  ),
  ...textual('half a character', '\ud800', '..\udc00/secret.txt'),
  ...textual(
    'too long',
    'a'.repeat(256),
    `${'a/'.repeat(2100)}b`,
    'ü'.repeat(130),
    '../'.repeat(3000),
  ),
];

/** They look like ways out, and are names of files that are not there. */
export const HARMLESS: readonly Attack[] = [
  ...[
    '%2e%2e/secret.txt',
    '%2e%2e%2fsecret.txt',
    '..%2fsecret.txt',
    '%252e%252e/x',
    '$HOME/x',
    '${IFS}/x',
    '`pwd`/x',
  ],
  ...[
    '..;/secret.txt',
    '..a/secret.txt',
    'a..',
    '-rf',
    '--help',
    'INSIDE.TXT',
    'Inside.txt',
    'inside.txt.',
  ],
  ...['*', '{..,x}/secret.txt', '[.][.]/secret.txt', '∕etc∕passwd', '⁄etc', './~/x'],
].map((path) => ({ why: 'another name', path, code: 'missing' as const }));

/** They are only seen on the disk. */
export const ON_DISK: readonly Attack[] = [
  { why: 'final link out', path: 'x', links: { x: '../secret.txt' } },
  { why: 'final link out, absolute', path: 'x', links: { x: '<base>/secret.txt' } },
  { why: 'link to a system file', path: 'x', links: { x: '/etc/passwd' } },
  { why: 'link to the root', path: 'x/etc/passwd', links: { x: '/' } },
  { why: 'parent link out', path: 'x/secret.txt', links: { x: '../outside' } },
  { why: 'parent link out, absolute', path: 'x/secret.txt', links: { x: '<base>/outside' } },
  { why: 'far parent link out', path: 'x/a/b/c', links: { x: '..' } },
  { why: 'link to the parent, then back', path: 'x/work/inside.txt', links: { x: '..' } },
  { why: 'deep link out', path: 'a/x', links: { 'a/x': '../../secret.txt' } },
  { why: 'link that goes in, then out', path: 'x', links: { x: 'a/../../secret.txt' } },
  { why: 'link of a link out', path: 'x', links: { x: 'y', y: 'z', z: '../secret.txt' } },
  {
    why: 'link folder of a link out',
    path: 'x/y',
    links: { x: 'a', 'a/y': '../../outside/secret.txt' },
  },
  { why: 'dangling link out', path: 'x', links: { x: '../not-there.txt' } },
  { why: 'dangling link out, absolute', path: 'x', links: { x: '<base>/not-there.txt' } },
  { why: 'dangling parent link out', path: 'x/new.txt', links: { x: '../not-there' } },
  { why: 'link to a prefix', path: 'x/secret.txt', links: { x: '../workspace2' } },
  { why: 'link to a prefix, absolute', path: 'x/secret.txt', links: { x: '<base>/workspace2' } },
  {
    why: 'link to the root by its path, then out',
    path: 'x',
    links: { x: '<base>/work/../secret.txt' },
  },
  {
    why: 'link through another spelling',
    path: 'x',
    links: { x: '<base>/./outside/../secret.txt' },
  },
  { why: 'link to itself', path: 'x', links: { x: 'x' } },
  { why: 'two links in a ring', path: 'x/y', links: { x: 'y', y: 'x' } },
  { why: 'link to a process', path: 'x/environ', links: { x: '/proc/self' } },
  { why: 'link to a descriptor', path: 'x', links: { x: '/proc/self/fd/0' } },
  { why: 'link to the working directory', path: 'x/package.json', links: { x: '/proc/self/cwd' } },
  { why: 'link to a device', path: 'x', links: { x: '/dev/zero' } },
  { why: 'hard link to a secret', path: 'x', special: { x: 'hard' }, code: 'unsuitable' },
  {
    why: 'link to a hard link',
    path: 'y',
    links: { y: 'x' },
    special: { x: 'hard' },
    code: 'unsuitable',
  },
  { why: 'pipe that nobody writes to', path: 'x', special: { x: 'fifo' }, code: 'unsuitable' },
  {
    why: 'link to a pipe',
    path: 'y',
    links: { y: 'x' },
    special: { x: 'fifo' },
    code: 'unsuitable',
  },
  { why: 'pipe as a folder', path: 'x/y', special: { x: 'fifo' }, code: 'unsuitable' },
  { why: 'socket', path: 'x', special: { x: 'socket' }, code: 'unsuitable' },
];
