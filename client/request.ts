import type { paths } from './generated/api.js';
import type { Http, SentRequest } from './http.js';
import { noAnswerOfParley, ParleyError, readText, unreachable } from './http.js';
import type { BodyOf, QueryOf, ResultOf, VariablesOf } from './types.js';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
/** Paths of the API, as the OpenAPI document has them, that take the method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P][Lowercase<M>] extends object ? P : never;
}[keyof paths];
type OperationOf<M extends Method, P extends keyof paths> = paths[P][Lowercase<M>];

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface RequestOptions<O> extends CallOptions {
  /** The variables of the path, by name. */
  readonly path?: VariablesOf<O> | undefined;
  readonly query?: QueryOf<O> | undefined;
  readonly body?: BodyOf<O> | undefined;
  readonly headers?: SentRequest['headers'];
}

/** Any operation of the API, typed by its method and path. @throws ParleyError if it is refused */
export type Request = <M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  options?: RequestOptions<OperationOf<M, P>>,
) => Promise<ResultOf<OperationOf<M, P>>>;

/** The same, with whatever body, for an answer that is left as it is. */
export type SendRaw = (
  method: Method,
  path: keyof paths,
  options?: SentRequest & { readonly path?: Readonly<Record<string, string>> },
) => Promise<Response>;

export function makeSendRaw(http: Http): SendRaw {
  return (method, path, { path: variables = {}, ...rest } = {}) =>
    http.send(method, fill(path, variables), rest);
}

export function makeRequest(http: Http, sendRaw: SendRaw): Request {
  return async (method, path, { headers, ...options } = {}) => {
    const accept = { accept: 'application/json', ...headers };
    const response = await sendRaw(method, path, {
      ...(options as object),
      headers: accept,
    });
    return (await read(response, http.url, options.signal)) as never;
  };
}

/** `/chats/{chat_id}` → `/chats/plans` */
function fill(path: string, variables: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(variables[name] ?? '', name));
}

/** @throws TypeError for an id that would lead to another path */
export function segment(id: string, name = 'id'): string {
  if (/^\.{0,2}$/.test(id)) throw new TypeError(`${JSON.stringify(id)} is no ${name}`);
  return encodeURIComponent(id);
}

async function read(
  response: Response,
  url: string,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  const text = await readText(response).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error instanceof ParleyError ? error : unreachable(url, error);
  });
  if (text === '' && response.status !== 200) return undefined;
  if (type.startsWith('text/plain')) return text;
  try {
    if (/[/+]json\b/.test(type)) return JSON.parse(text);
  } catch {
    // Reported below.
  }
  throw noAnswerOfParley(response, 'JSON');
}
