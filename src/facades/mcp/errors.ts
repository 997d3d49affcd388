import { AppError } from '../../kernel/app-error.js';
import type { Problem } from '../../protocol/wire/problem.js';

/** Codes of JSON-RPC and MCP by ours. */
const CODES: Readonly<Record<string, number>> = {
  malformed_json: -32_700,
  invalid_body: -32_600,
  unknown_method: -32_601,
  invalid_params: -32_602,
  header_mismatch: -32_020,
  unsupported_version: -32_022,
};
const FOR_MODELS: readonly string[] = ['invalid', 'not_found', 'conflict', 'unprocessable'];
const INTERNAL = -32_603;
/** Code of the server's own errors; `data.code` tells them apart. */
const OTHER = -32_000;

/** An error response; `id` null: that of the request is not known. */
export function formatRpcError(
  { type, status, title: __, detail: message, instance: ___, ...more }: Problem,
  id: string | number | null,
): string {
  const name = type.replace('/problems/', '');
  const code = CODES[name] ?? (status >= 500 && status !== 503 ? INTERNAL : OTHER);
  return JSON.stringify(errorResponse(id, { code, message, data: { code: name, ...more } }));
}

export function toRpcError(
  { code: name, message, errors, extra }: AppError,
  id: string | number,
): object {
  const data = { code: name, errors, ...extra };
  return errorResponse(id, { code: CODES[name] ?? OTHER, message, data });
}

/** True for what a call asks that can't be done, which its model reads and may mend. */
export function isToolError({ kind, code }: AppError): boolean {
  return code !== 'invalid_params' && FOR_MODELS.includes(kind);
}

function errorResponse(id: string | number | null, error: object): object {
  return { jsonrpc: '2.0', id, error };
}

export function invalidRequest(fault: string): AppError {
  return new AppError('invalid', 'invalid_body', `The body ${fault}.`);
}

export function invalidParams(field: string, fault: string): AppError {
  const message = `${field} ${fault}.`;
  return new AppError('invalid', 'invalid_params', message, { errors: [{ field, message }] });
}

export function unknownMethod(method: string): AppError {
  const message = `There is no method ${JSON.stringify(method.slice(0, 64))} here: docs/protocols.md lists them.`;
  return new AppError('not_found', 'unknown_method', message);
}

export function headerMismatch(header: string, fault: string): AppError {
  const message = `The header ${header} ${fault}.`;
  const errors = [{ field: header, message }];
  return new AppError('invalid', 'header_mismatch', message, { errors });
}
