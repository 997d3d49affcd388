import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../kernel/app-error.js';
import { isObject } from '../../kernel/json/json.js';
import { headerMismatch, invalidParams } from './errors.js';
import type { Message, Notification, Request } from './message.js';

/** Revisions of the protocol with sessions, the newest first. */
export const SESSION_REVISIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26'];
/** The revision without sessions: each request says all that the server has to know. */
export const STATELESS_REVISION = '2026-07-28';

const REVISION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const VERSION_HEADER = 'mcp-protocol-version';

/** True for a message of a revision without sessions, whether the server has it or not. */
export function isStateless(
  message: Message,
  headers: IncomingHttpHeaders,
): message is Request | Notification {
  if (message.kind === 'response') return false;
  return metaOf(message.params)[REVISION] !== undefined || isNewer(headers[VERSION_HEADER]);
}

/**
 * Checks that the headers of a stateless request, by which proxies route it, name what its body
 * does.
 * @returns the capabilities of the client
 * @throws AppError `header_mismatch`, `invalid_params`, `unsupported_version` (400)
 */
export function readEnvelope(
  message: Request | Notification,
  headers: IncomingHttpHeaders,
): Readonly<Record<string, unknown>> {
  const meta = metaOf(message.params);
  const revision = meta[REVISION];
  if (typeof revision !== 'string') throw invalidParams(`_meta["${REVISION}"]`, 'is missing');
  if (revision !== STATELESS_REVISION) throw unsupportedVersion(revision, [STATELESS_REVISION]);
  const capabilities = meta[CAPABILITIES];
  if (message.kind === 'notification') return {};
  if (!isObject(capabilities)) throw invalidParams(`_meta["${CAPABILITIES}"]`, 'is missing');
  const { name } = message.params;
  requireHeader(headers, VERSION_HEADER, revision);
  requireHeader(headers, 'mcp-method', message.method);
  if (message.method === 'tools/call' && typeof name === 'string')
    requireHeader(headers, 'mcp-name', name);
  return capabilities;
}

/** @throws AppError `unsupported_version` (400) */
export function requireSessionRevision({ [VERSION_HEADER]: sent }: IncomingHttpHeaders): void {
  if (sent === undefined || SESSION_REVISIONS.includes(String(sent))) return;
  throw unsupportedVersion(String(sent), SESSION_REVISIONS);
}

/** True if the client shows forms to its user. */
export function takesForms(capabilities: unknown): boolean {
  if (!isObject(capabilities)) return false;
  const { elicitation } = capabilities;
  if (!isObject(elicitation)) return false;
  return 'form' in elicitation || Object.keys(elicitation).length === 0;
}

export function metaOf({ _meta }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return isObject(_meta) ? _meta : {};
}

function isNewer(revision: unknown): boolean {
  return typeof revision === 'string' && revision >= STATELESS_REVISION;
}

function requireHeader(headers: IncomingHttpHeaders, name: string, expected: string): void {
  const sent = headers[name];
  if (sent === undefined) throw headerMismatch(name, 'is missing');
  if (decode(String(sent)) !== expected) throw headerMismatch(name, 'differs from the body');
}

/** Headers have other characters as `=?base64?…?=`. */
function decode(text: string): string {
  const [begin, end] = ['=?base64?', '?='];
  if (!text.startsWith(begin) || !text.endsWith(end)) return text;
  return Buffer.from(text.slice(begin.length, -end.length), 'base64').toString();
}

function unsupportedVersion(requested: string, supported: readonly string[]): AppError {
  const message = `The server has no revision ${requested.slice(0, 32)} of the protocol here, but ${supported.join(', ')}.`;
  const extra = { supported, requested: requested.slice(0, 32) };
  return new AppError('invalid', 'unsupported_version', message, { extra });
}
