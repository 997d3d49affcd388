const TAG =
  /<\/?(?:a|b|br|code|del|details|div|em|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|pre|s|small|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul)(?:\s+[a-z-]+=[^<>]*|\s*\/)?>/gi;
const ADDRESS = /https?:\/\/(?:www\.)?([^\s/?#<>()]+)[^\s<>()]*/gi;
const MARKS =
  /\*{2,}|~~|`+|(?<![\p{L}\p{N}])\*(?=\S)|(?<=\S)\*(?![\p{L}\p{N}])|(?<![\p{L}\p{N}_])_{1,3}(?=[^\s_])|(?<=[^\s_])_{1,3}(?![\p{L}\p{N}_])/gu;
const FOOTNOTE = /\[(?:\^[^\][\s]*|\d{1,3})\]/g;
const BRACKET = /!(?=\[)|[[\]]/g;
const ESCAPE = /\\(?=[!-/:-@[-`{-~])/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};

/** A sentence of Markdown as plain text: empty if nothing of it can be spoken. */
export function speakable(markdown: string): string {
  const plain = markdown
    .replace(TAG, ' ')
    .replace(ADDRESS, hostOf)
    .replace(FOOTNOTE, '')
    .replace(BRACKET, '')
    .replace(ESCAPE, '')
    .replace(MARKS, '')
    .replace(/&(?:amp|lt|gt|quot|nbsp|#39);/g, (entity) => ENTITIES[entity]!)
    .replace(/\s+/g, ' ')
    .replace(/ (?=[,.;!?])/g, '')
    .replace(/,(?:,)+/g, ',');
  const trimmed = trimCommas(plain);
  return /[\p{L}\p{N}]/u.test(trimmed) ? trimmed : '';
}

/** `https://www.example.com/a/b.` → `example.com.` */
function hostOf(address: string, host: string): string {
  const after = /[.,;:!?]$/.exec(address)?.[0] ?? '';
  return host.endsWith(after) ? host : host + after;
}

function trimCommas(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && ', '.includes(text[start]!)) start++;
  while (end > start && ', '.includes(text[end - 1]!)) end--;
  return text.slice(start, end);
}

/** Parts of at most `limit` code points, cut after commas, else at spaces, else anywhere. */
export function* cut(text: string, limit: number): Generator<string> {
  let rest = Array.from(text);
  while (rest.length > limit) {
    const at = lastAfter(rest, ',;:—、，；：', limit) ?? lastAfter(rest, ' ', limit) ?? limit;
    yield rest.slice(0, at).join('').trim();
    rest = rest.slice(at);
  }
  const last = rest.join('').trim();
  if (last !== '') yield last;
}

/** The place after the last of `marks` in the second half of what fits. */
function lastAfter(chars: readonly string[], marks: string, limit: number): number | undefined {
  for (let at = limit; at > limit / 2; at--) if (marks.includes(chars[at - 1]!)) return at;
  return undefined;
}
