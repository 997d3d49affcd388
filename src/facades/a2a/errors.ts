import type { AppError } from '../../kernel/app-error.js';
import { STATUS_OF_KIND } from '../../http/errors/to-problem.js';
import type { Problem } from '../../protocol/wire/problem.js';

/** A failure, however it came about. */
export interface Fault {
  readonly status: number;
  /** An error code of the server: docs/problems.md. */
  readonly code: string;
  readonly message: string;
  readonly field?: string | undefined;
}

/** Reasons of the protocol, with the codes that JSON-RPC has for them. */
const RPC_CODES = {
  TASK_NOT_FOUND: -32001,
  TASK_NOT_CANCELABLE: -32002,
  PUSH_NOTIFICATION_NOT_SUPPORTED: -32003,
  UNSUPPORTED_OPERATION: -32004,
  CONTENT_TYPE_NOT_SUPPORTED: -32005,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: -32007,
  VERSION_NOT_SUPPORTED: -32009,
  INVALID_PARAMS: -32602,
} as const;
type Reason = keyof typeof RPC_CODES;

/** Reasons of the error codes that are not named like their reason. */
const REASONS: Readonly<Record<string, Reason | undefined>> = {
  interaction_not_found: 'TASK_NOT_FOUND',
  already_ended: 'UNSUPPORTED_OPERATION',
  agent_ended: 'UNSUPPORTED_OPERATION',
  unsupported_media_type: 'CONTENT_TYPE_NOT_SUPPORTED',
};

/** JSON-RPC's own error codes, by error code of the server. */
const ENVELOPE_CODES: Readonly<Record<string, number | undefined>> = {
  malformed_json: -32700,
  not_json_rpc: -32600,
  not_found: -32600,
  model_not_found: -32600,
  method_not_allowed: -32600,
  unknown_method: -32601,
};
const REFUSED = -32000;
const INTERNAL = -32603;

/** Statuses that say something of the caller or the server, not of the request. */
const OTHERS = [401, 403, 421, 429, 503];

const STATUS_NAMES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  409: 'ABORTED',
  421: 'UNAVAILABLE',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};
const FAILED_PRECONDITIONS: readonly string[] = [
  ...['TASK_NOT_CANCELABLE', 'PUSH_NOTIFICATION_NOT_SUPPORTED', 'UNSUPPORTED_OPERATION'],
  ...['EXTENDED_AGENT_CARD_NOT_CONFIGURED', 'VERSION_NOT_SUPPORTED'],
];

export function faultOfProblem({ status, type, detail: message, errors }: Problem): Fault {
  return { status, code: type.replace('/problems/', ''), message, field: errors?.[0]?.field };
}

export function faultOf({ kind, code, message, errors }: AppError): Fault {
  return { status: STATUS_OF_KIND[kind], code, message, field: errors[0]?.field };
}

/** True if the request itself is at fault: JSON-RPC answers it with the status 200. */
export function isOfRequest({ kind }: AppError): boolean {
  const status = STATUS_OF_KIND[kind];
  return status < 500 && !OTHERS.includes(status);
}

/** The body of the response to a REST request. */
export function toRestError(fault: Fault): object {
  const { status, message } = fault;
  const precondition = FAILED_PRECONDITIONS.includes(reasonOf(fault) ?? '');
  const name = precondition ? 'FAILED_PRECONDITION' : (STATUS_NAMES[status] ?? 'INVALID_ARGUMENT');
  return { error: { code: status, status: name, message, details: [infoOf(fault)] } };
}

/** The response to a JSON-RPC request; the id is null where the request was not read. */
export function toRpcError(fault: Fault, id: RpcId = null): object {
  const { message } = fault;
  return { jsonrpc: '2.0', id, error: { code: rpcCodeOf(fault), message, data: [infoOf(fault)] } };
}

export type RpcId = string | number | null;

function rpcCodeOf(fault: Fault): number {
  const { status, code } = fault;
  if (status >= 500 && status !== 503) return INTERNAL;
  const reason = reasonOf(fault);
  return ENVELOPE_CODES[code] ?? (reason ? RPC_CODES[reason] : REFUSED);
}

/** `google.rpc.ErrorInfo`. */
function infoOf(fault: Fault): object {
  const { code, field } = fault;
  const reason = reasonOf(fault);
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    ...(reason
      ? { reason, domain: 'a2a-protocol.org' }
      : { reason: code.toUpperCase(), domain: 'parley' }),
    metadata: { code, ...(field !== undefined && { field }) },
  };
}

/** Undefined of faults for which the protocol has no word. */
function reasonOf({ code, status }: Fault): Reason | undefined {
  const named = code.toUpperCase();
  const known = named in RPC_CODES ? (named as Reason) : REASONS[code];
  if (known || status >= 500 || OTHERS.includes(status)) return known;
  return code in ENVELOPE_CODES && status !== 400 ? undefined : 'INVALID_PARAMS';
}
