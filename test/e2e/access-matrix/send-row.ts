import type { Operation } from '../operations.js';
import type { Row } from './table.js';
import type { Names } from './world.js';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What differs between two answers to the same request, and between two processes. */
const VARYING = ['date', 'x-request-id', 'connection', 'keep-alive', 'content-length', 'etag'];
const MADE = /\b(?:[a-z]+_)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{24,64}\b/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

export interface Sender {
  readonly url: string;
  readonly key?: string | undefined;
}

/** Sends a row with these names. */
export async function sendRow(
  { url, key }: Sender,
  { method, path, parameters }: Operation,
  { row, names, own }: { readonly row: Row; readonly names: Names; readonly own: Names },
): Promise<Answer> {
  const { ids = {}, send = {}, text } = row;
  const values: Readonly<Record<string, unknown>> = {
    ...send,
    ...mapValues(row.own ?? {}, (what) => own[what]!),
    ...mapValues(ids, ([what]) => names[what]!),
  };
  const given = (place: string) =>
    parameters.flatMap(({ name, in: where }) =>
      where === place && name in values ? [[name, values[name]] as const] : [],
    );
  const asText = (place: string) =>
    given(place).map(([name, value]): [string, string] => [name, String(value)]);
  const inPath = Object.fromEntries(asText('path')) as Names;
  const query = new URLSearchParams(asText('query')).toString();
  const body = text ? fill(text, names) : JSON.stringify(Object.fromEntries(given('body')));
  const hasBody = text !== undefined || given('body').length > 0;
  const response = await fetch(`${url}${fill(path, inPath)}${query && `?${query}`}`, {
    method,
    headers: {
      accept: path.endsWith('/events') ? 'text/event-stream' : 'application/json',
      ...(hasBody && { 'content-type': text ? 'application/x-ndjson' : 'application/json' }),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(Object.fromEntries(asText('header')) as Names),
    },
    ...(hasBody && { body }),
  });
  const headers = [...response.headers].filter(([name]) => !VARYING.includes(name));
  return {
    status: response.status,
    headers: Object.fromEntries(headers),
    text: await response.text(),
  };
}

/** Without the names that the request had, and what is made for each answer. */
export function unnamed({ status, headers, text }: Answer, sent: readonly string[]): Answer {
  const strip = (from: string): string => {
    let rest = from.replaceAll(/"request_id":"[^"]*"/g, '').replaceAll(TIME, '{time}');
    for (const name of sent.toSorted((a, b) => b.length - a.length))
      rest = name.length > 8 ? rest.replaceAll(name, '{}') : rest.replaceAll(`"${name}"`, '"{}"');
    return rest.replaceAll(MADE, '{}');
  };
  return { status, headers: mapValues(headers, strip), text: strip(text) };
}

function fill(text: string, names: Names): string {
  return text.replaceAll(/\{(\w+)\}/g, (all, name: string) => names[name] ?? all);
}

function mapValues<T, U>(of: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, map(value)]));
}
