/** Of a whole body of 1 MiB; the rest of the body needs some. */
const SIZE = 1024 * 1024 - 4_096;

const list = (item: string): string => `[${`${item},`.repeat((SIZE / (item.length + 1)) >> 0)}1]`;
const object = (fields: number): string =>
  `{${Array.from({ length: fields }, (_, n) => `"k${n}":1`).join(',')}}`;
const nested = (open: string, close: string, levels: number): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;
const lists = (item: string, most: number): string => `[${Array(most).fill(item).join(',')}]`;

/** JSON values that are dear to parse, to walk or to check, by name. */
const VALUES: Readonly<Record<string, string>> = {
  'many keys': object(70_000),
  'allowed keys': object(900),
  'objects of allowed keys': lists(object(900), 20),
  'tools of allowed keys': lists(
    `{"name":"a","description":"b","input_schema":${object(900)}}`,
    20,
  ),
  'many lists': list('[]'),
  'many objects': list('{}'),
  'allowed objects': lists('{}', 9_000),
  'allowed lists': lists('[]', 9_000),
  'allowed texts': lists('"ab"', 19_000),
  'allowed numbers': lists('1', 19_000),
  'deep lists': nested('[', ']', 100_000),
  'allowed depth': nested('{"a":', '}', 50),
  digits: '1'.repeat(SIZE),
};

/** Texts that are dear to a pattern that backtracks. */
const PIECES = [
  '[', '(', '{', '<', '"', "'", '`', '/*', '*/', '<!--', '<!---->', '{a,', ' ', '\n', ',', '1',
  '\\', '$(', '((', '](', '|', '- ', '# ', 'a', '\u{1f600}', 'e\u0301', '\u0301', '\ud800', '\t \n',
]; // prettier-ignore

/** Values as JSON, each with its name. */
export function worstShapes(): readonly (readonly [string, string])[] {
  const texts = PIECES.map((piece) => {
    const json = JSON.stringify(piece).slice(1, -1);
    const count = Math.floor(SIZE / Buffer.byteLength(json));
    return [`repeated ${JSON.stringify(piece)}`, `"${json.repeat(count)}"`] as const;
  });
  return [...Object.entries(VALUES), ...texts];
}
