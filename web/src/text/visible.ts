/**
 * Characters that change the order of what is read, or are not seen at all. Not U+FE0F and U+200D,
 * which emoji need.
 */
const HIDDEN =
  // oxlint-disable-next-line no-misleading-character-class -- each is matched by itself
  /[\u00ad\u034f\u061c\u115f\u1160\u180b-\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}]/gu;
/** But for tab, line feed and carriage return. */
// oxlint-disable-next-line no-control-regex -- they are what it is about
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/**
 * Text of models, tools and files as it may be shown: bidirectional controls are named, other
 * control characters are left out.
 */
export function visible(text: string): string {
  return text.replace(CONTROL, '').replace(HIDDEN, nameOf);
}

function nameOf(char: string): string {
  return `⟦U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟧`;
}
