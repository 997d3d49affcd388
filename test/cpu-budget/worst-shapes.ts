/** Of a whole body of 1 MiB; the rest of the body needs some. */
const SIZE = 1024 * 1024 - 4_096;

const list = (item: string): string => `[${`${item},`.repeat((SIZE / (item.length + 1)) >> 0)}1]`;
const object = (fields: number): string =>
  `{${Array.from({ length: fields }, (_, n) => `"k${n}":1`).join(',')}}`;
const nested = (open: string, close: string, levels: number): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;
const lists = (item: string, most: number): string => `[${Array(most).fill(item).join(',')}]`;

/** JSON that is dear to parse, to walk or to check, by name. */
export const VALUES: Readonly<Record<string, string>> = {
  'many keys': object(70_000),
  'allowed keys': object(900),
  'objects of allowed keys': lists(object(900), 20),
  'many lists': list('[]'),
  'many objects': list('{}'),
  'allowed objects': lists('{}', 9_000),
  'allowed lists': lists('[]', 9_000),
  'allowed texts': lists('"ab"', 19_000),
  'allowed numbers': lists('1', 19_000),
  'long numbers': lists('1.00000000000000000001e300', 19_000),
  'deep lists': nested('[', ']', 100_000),
  'allowed depth': nested('{"a":', '}', 50),
  'deep and wide': lists(nested('{"a":', '}', 90), 200),
  digits: '1'.repeat(SIZE),
  'an object of digits': `{"a":${'1'.repeat(SIZE)}}`,
};

/** Pieces of texts that are dear to a pattern that backtracks, or to a search in each rest. */
const PIECES = [
  '[', '(', '{', '<', '"', "'", '`', '/*', '*/', '<!--', '<!---->', '{a,', ' ', '\n', ',', '1',
  '\\', '$(', '((', '](', '|', '- ', '# ', 'a', '\u{1f600}', 'e\u0301', '\u0301', '\u0301\u0316', '\ud800', '\t \n',
  'a@', 'a.', '```\n', '{"a":', '\u0000', '-----BEGIN ', 'a b\n', '**/', 'a/../', 'é', 'sk-', 'a@a.-1', '1111-',
]; // prettier-ignore

/** A text of 1 MiB as JSON, by name. */
export interface WorstText {
  readonly name: string;
  readonly text: string;
  /** What is repeated. */
  readonly piece: string;
}

/** Texts of so many bytes in JSON. */
export function worstTexts(size = SIZE): readonly WorstText[] {
  return PIECES.map((piece) => {
    const json = JSON.stringify(piece);
    const count = Math.floor(size / Buffer.byteLength(json.slice(1, -1)));
    return { name: `repeated ${json}`, text: piece.repeat(count), piece };
  });
}
