import type { Statement, Step } from './connection/database.js';

type NamesIn<List extends string> = List extends `${infer First}, ${infer Rest}`
  ? First | NamesIn<Rest>
  : List;

/** The columns of a list, of one table: `c.id, c.title` for `id, title`. */
export function columnsOf(table: string, columns: string): string {
  return columns.replace(/\w+/g, `${table}.$&`);
}

/** The parameters named as the columns of a list: `:id, :title` for `id, title`. */
export function asParameters(columns: string): string {
  return columns.replace(/\w+/g, ':$&');
}

/**
 * A statement with named parameters, such as `:chat_uid`, which are numbered once. Returns the
 * function from their values to the step.
 * @param parameters their names, separated by a comma and a space
 * @throws TypeError if these are not the parameters of the text
 */
export function named<List extends string>({
  parameters,
  text,
  ...rest
}: Statement & { readonly parameters: List }) {
  const names = parameters.split(', ') as NamesIn<List>[];
  const unused = new Set<string>(names);
  const numbered = text.replace(/::?([a-z]\w*)/g, (match, word: string) => {
    if (match.startsWith('::')) return match; // a cast
    unused.delete(word);
    const place = names.findIndex((name) => name === word);
    if (place === -1) throw new TypeError(`A statement has no parameter :${word}: ${text}`);
    return `$${place + 1}`;
  });
  if (unused.size > 0)
    throw new TypeError(`A statement does not use ${[...unused].join()}: ${text}`);
  const statement: Statement = { ...rest, text: numbered };
  return (values: Readonly<Record<NamesIn<List>, unknown>>): Step => [
    statement,
    names.map((name) => values[name]),
  ];
}
