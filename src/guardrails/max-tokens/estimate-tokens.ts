/** Characters of ASCII text that one token has, roughly; others have a token each. */
const ASCII_PER_TOKEN = 4;

/** Roughly how many tokens this is for a model, in parts of one; of pieces, the sum is that of the whole. */
export function estimateTokens(text: string): number {
  let ascii = 0;
  let others = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char < 0x80) ascii++;
    else if (char < 0xdc00 || char > 0xdfff) others++; // a surrogate pair counts once
  }
  return ascii / ASCII_PER_TOKEN + others;
}
