/** How files of each begin, as hexadecimal digits. */
const SIGNATURES: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['PNG', /^89504e470d0a1a0a/],
  ['JPEG', /^ffd8ff/],
  ['GIF', /^47494638(?:37|39)61/],
  ['WebP', /^52494646.{8}57454250/],
];

/** The name of an image's format, by its first bytes; undefined if it is none that we know. */
export function imageKind(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 12).toString('hex');
  return SIGNATURES.find(([, pattern]) => pattern.test(start))?.[0];
}
