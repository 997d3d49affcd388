/** Control characters that no text has; logs have escapes. */
const BINARY = /[^\P{Cc}\s\u{7F}-\u{9F}]/u;
const ESCAPE = '\u001B';
const MARKS: readonly (readonly [string, string])[] = [
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
];

/** The text of these bytes; undefined if they are none. The last character may be cut off. */
export function readPlainText(
  bytes: Buffer,
  { is_whole }: { readonly is_whole: boolean },
): string | undefined {
  const mark = bytes.toString('hex', 0, 2);
  const encoding = MARKS.find(([each]) => each === mark)?.[1] ?? 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: !is_whole });
    return BINARY.test(text.replaceAll(ESCAPE, '')) ? undefined : text;
  } catch {
    return undefined;
  }
}
