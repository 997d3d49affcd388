/** The text of a file in UTF-8, or with a byte order mark in UTF-16, without the mark. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(markedEncoding(bytes) ?? 'utf-8').decode(bytes);
}

/** The encoding that a byte order mark of UTF-16 tells. */
export function markedEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}
