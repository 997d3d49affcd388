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
const MADE = /(?:[a-z]+_)*[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{24,64}\b/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|(?<="created(_at)?":)\d{10}/g;

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
  const { ids = {}, send = {}, text, form } = row;
  const values: Readonly<Record<string, unknown>> = {
    ...send,
    ...mapValues(row.own ?? {}, (what) => own[what]!),
    ...mapValues(ids, ([what]) => names[what]!),
  };
  const given = (place: string) =>
    parameters.flatMap(({ name, in: where }) => {
      const value = row.list === name ? [values[name]] : values[name];
      return where === place && name in values ? [[name, value] as const] : [];
    });
  const asText = (place: string) =>
    given(place).map(([name, value]): [string, string] => [name, String(value)]);
  const inPath = Object.fromEntries(asText('path')) as Names;
  const query = new URLSearchParams(asText('query')).toString();
  const json = (): string => JSON.stringify(Object.fromEntries(given('body')));
  const body = text ? fill(text, names) : form ? formOf(given('body')) : json();
  const hasBody = text !== undefined || given('body').length > 0;
  const response = await fetch(`${url}${fill(path, inPath)}${query && `?${query}`}`, {
    method,
    headers: {
      accept: path.endsWith('/events') ? 'text/event-stream' : 'application/json',
      ...(hasBody &&
        !form && { 'content-type': text ? 'application/x-ndjson' : 'application/json' }),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(Object.fromEntries(asText('header')) as Names),
    },
    ...(hasBody && { body }),
  });
  const headers = [...response.headers].filter(([name]) => !VARYING.includes(name));
  const sent = LIVE.includes(path) ? await firstFrame(response) : await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries(headers),
    text: sent.replaceAll(PAUSE, 'retry: {}').replaceAll(HEARTBEAT, ''),
  };
}

/** Drawn for each stream. */
const PAUSE = /^retry: \d+$/gm;
/** A stream has as many as it is slow. */
const HEARTBEAT = /^:.*\n+/gm;

/** Streams that do not end by themselves. */
const LIVE = [
  ...['/events', '/chats/{chat_id}/events'],
  '/langgraph/threads/{thread_id}/stream/events',
];

/** Of a stream; else the whole answer. */
async function firstFrame(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    const [frame] = /data: .*\n\n/.exec(text) ?? [];
    if (frame) return frame;
  }
  return text;
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

/** The member `file` is the content of a file, which comes last. */
function formOf(members: readonly (readonly [string, unknown])[]): FormData {
  const form = new FormData();
  for (const [name, value] of members) if (name !== 'file') form.set(name, String(value));
  for (const [name, value] of members)
    if (name === 'file') form.set(name, new Blob([String(value)]), 'a.txt');
  return form;
}

function fill(text: string, names: Names): string {
  return text.replaceAll(/\{(\w+)\}/g, (all, name: string) => names[name] ?? all);
}

function mapValues<T, U>(of: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, map(value)]));
}
