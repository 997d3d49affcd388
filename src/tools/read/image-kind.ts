const SIGNATURES: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['PNG', /^\x89PNG\r\n\x1a\n/],
  ['JPEG', /^\xff\xd8\xff/],
  ['GIF', /^GIF8[79]a/],
  ['WebP', /^RIFF[\s\S]{4}WEBP/],
];

/** The name of an image's format, by its first bytes; undefined if it is none that we know. */
export function imageKind(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 12).toString('latin1');
  return SIGNATURES.find(([, pattern]) => pattern.test(start))?.[0];
}
