import { isObject } from '../../kernel/json/json.js';
import { invalidRequest } from './errors.js';

const MAX_ID = 256;

export type RpcId = string | number;
type Members = Readonly<Record<string, unknown>>;

export interface Request {
  readonly kind: 'request';
  readonly id: RpcId;
  readonly method: string;
  readonly params: Members;
}

export interface Notification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: Members;
}

/** A JSON-RPC message of a client. */
export type Message =
  | Request
  | Notification
  /** To a request of the server; `result` is undefined where it is an error. */
  | { readonly kind: 'response'; readonly id: RpcId; readonly result: unknown };

/** @throws AppError `invalid_body` (400) if it is none */
export function readMessage(body: unknown): Message {
  if (!isObject(body) || body['jsonrpc'] !== '2.0')
    throw invalidRequest('has to be one JSON-RPC message: {"jsonrpc": "2.0", …}');
  const { id, method, params = {}, result } = body;
  if (!isObject(params)) throw invalidRequest('has params that are no object');
  if (typeof method === 'string') {
    if (id === undefined) return { kind: 'notification', method, params };
    return { kind: 'request', id: requireId(id), method, params };
  }
  if (method === undefined && ('result' in body || 'error' in body))
    return { kind: 'response', id: requireId(id), result };
  throw invalidRequest('has no method');
}

/** An id, or a token of progress, which are alike. */
export function isId(value: unknown): value is RpcId {
  if (typeof value === 'string') return value.length <= MAX_ID;
  return Number.isSafeInteger(value);
}

function requireId(id: unknown): RpcId {
  if (isId(id)) return id;
  throw invalidRequest(`needs an id: an integer, or up to ${MAX_ID} characters`);
}

export function toResponse(id: RpcId, result: object): object {
  return { jsonrpc: '2.0', id, result };
}
