import { isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import type { Config } from '../../config/config.js';
import { isLoopback } from '../../config/is-loopback.js';
import { AppError } from '../../kernel/app-error.js';
import { isWebSocketRequest } from '../upgrades.js';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Keeps foreign web pages away from a server that has no users. DNS rebinding shows in the `Host`
 * header, cross-site requests in `Origin`. It is middleware, not a Nest guard, to cover `/docs`
 * too.
 */
export function hostMiddleware(
  config: Pick<Config, 'host' | 'allowedHosts' | 'corsOrigins'>,
): RequestHandler {
  const pages = new Set(config.corsOrigins);
  const listed = new Set(config.allowedHosts.map(toUrlHost));
  const takesAddresses = listed.size === 0 && !isLoopback(config.host);
  if (takesAddresses) listed.add(toUrlHost(config.host.toLowerCase()));
  const isAllowed = (host: string): boolean =>
    listed.has('*') || listed.has(host) || isLoopback(host) || (takesAddresses && isAddress(host)); // rebinding needs a name
  const isSameSite = (origin: string, host: string): boolean => {
    const site = webHostOf(origin);
    return site === host || listed.has(site) || (isLoopback(site) && isLoopback(host));
  };

  return (request, _response, next) => {
    const host = hostIn(hostHeader(request));
    const origin = changingOrigin(request);
    if (!host || !isAllowed(host)) next(unknownHost(request));
    else if (origin === undefined || pages.has(origin)) next();
    else if (!isSameSite(origin, host)) next(crossSite(origin));
    else next();
  };
}

/** The origin of a request that changes something or opens a WebSocket, which pages can read. */
function changingOrigin(request: Request): string | undefined {
  const isSafe = SAFE_METHODS.has(request.method) && !isWebSocketRequest(request);
  return isSafe ? undefined : request.headers.origin;
}

/** A request target that is a URL counts in its place (RFC 9112, 3.2.2). */
function hostHeader({ url, headers }: Request): string {
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? headers.host ?? '';
}

/** Host in a `Host` header, which has no user, path or query; empty if it is malformed. */
function hostIn(header: string): string {
  return /^[^@/?#\\\s]+$/.test(header) ? hostOf(`http://${header}`) : '';
}

/** Without the port; empty if there is no host, as in the origin `null`. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : '';
}

/** A proxy may have ended TLS, so both schemes of the web count; other schemes are other sites. */
function webHostOf(origin: string): string {
  return /^https?:/.test(origin) ? hostOf(origin) : '';
}

function isAddress(host: string): boolean {
  return isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

/** `::1` is `[::1]` in a URL. */
function toUrlHost(name: string): string {
  return name.includes(':') ? `[${name}]` : name;
}

function unknownHost(request: Request): AppError {
  return new AppError(
    'forbidden',
    'unknown_host',
    `Host header ${JSON.stringify(hostHeader(request))} is not allowed. Add it to ALLOWED_HOSTS.`,
  );
}

function crossSite(origin: string): AppError {
  return new AppError(
    'forbidden',
    'cross_site_request',
    `Requests from pages of ${JSON.stringify(origin)} are not allowed. Add the origin to CORS_ORIGINS, or, if it is this server's, its host name to ALLOWED_HOSTS.`,
  );
}
