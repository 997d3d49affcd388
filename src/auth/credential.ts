import type { IncomingMessage } from 'node:http';
import { invalidCredential } from './auth-errors.js';

/** Longer ones are refused before they are parsed. */
const MAX_LENGTH = 8192;
const BEARER = /^Bearer +([\x21-\x7e]+)$/i;
const KEY = /^[\x21-\x7e]+$/;
const TICKET = 'ticket';
/** Before a key or token in base64url. */
const BEARER_PROTOCOL = 'parley.bearer.';

/** A credential as a request carries it; `header` is that of `Authorization`. */
export interface Credential {
  readonly kind: 'header' | 'key' | 'ticket';
  readonly text: string;
}

/**
 * The credential of a request; undefined if it has none. `tickets` are those of its URL.
 * @throws AppError `invalid_credential` (401), also for two credentials
 */
export function readCredential(
  { headersDistinct }: IncomingMessage,
  tickets: readonly string[],
): Credential | undefined {
  const found = [
    ...(headersDistinct['authorization'] ?? []).map((text) => header(text)),
    ...(headersDistinct['x-api-key'] ?? []).map((text) => ({ kind: 'key', text }) as const),
    ...tickets.map((text) => ({ kind: 'ticket', text }) as const),
    ...(headersDistinct['sec-websocket-protocol'] ?? []).flatMap(ofProtocols),
  ];
  const [credential] = found;
  if (!credential) return undefined;
  if (found.length > 1) throw invalidCredential('The request has more than one credential.');
  if (!KEY.test(credential.text) || credential.text.length > MAX_LENGTH)
    throw invalidCredential('The credential is empty, too long or malformed.');
  return credential;
}

/**
 * Removes the tickets from the URL of a request, so that neither a log nor an answer shows them,
 * and returns them.
 */
export function takeTickets(
  request: IncomingMessage & { originalUrl?: string; baseUrl?: string },
): string[] {
  const url = request.url ?? '';
  const at = url.indexOf('?');
  if (at < 0) return [];
  const members = url.slice(at + 1).split('&');
  const tickets = members.filter(isTicket);
  if (tickets.length === 0) return [];
  const others = members.filter((member) => !isTicket(member)).join('&');
  request.url = url.slice(0, at) + (others && `?${others}`);
  request.originalUrl = `${request.baseUrl ?? ''}${request.url}`;
  return tickets.map((member) => new URLSearchParams(member).get(TICKET) ?? '');
}

function isTicket(member: string): boolean {
  return new URLSearchParams(member).has(TICKET);
}

function header(text: string): Credential {
  const [, token] = BEARER.exec(text) ?? [];
  if (token) return { kind: 'header', text: token };
  throw invalidCredential('The Authorization header has to be "Bearer <key or token>".');
}

/** Browsers set no headers of a WebSocket, but name protocols: the credential is one of them. */
function ofProtocols(list: string): Credential[] {
  const names = list.length > MAX_LENGTH * 2 ? [] : list.split(',').map((name) => name.trim());
  return names
    .filter((name) => name.startsWith(BEARER_PROTOCOL))
    .map((name) => {
      const token = Buffer.from(name.slice(BEARER_PROTOCOL.length), 'base64url').toString();
      return { kind: 'header', text: token };
    });
}
