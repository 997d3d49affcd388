import type { Request, RequestHandler } from 'express';
import type { Config } from '../../config/config.js';
import { AppError } from '../../kernel/app-error.js';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Keeps web pages of others away from a server that knows no users. A page whose name was pointed at this address (DNS rebinding) gives itself
 * away by its `Host`, one that only sends requests here by its `Origin`. It is middleware, not a Nest guard, so that it covers `/docs` too.
 */
export function hostMiddleware(config: Pick<Config, 'host' | 'allowedHosts'>): RequestHandler {
  const listed = new Set(config.allowedHosts.map(toUrlHost));
  const isOpen = listed.has('*') || (listed.size === 0 && !LOOPBACK.test(config.host));
  const isOurs = (host: string): boolean => isOpen || LOOPBACK.test(host) || listed.has(host);
  const isFriend = (origin: string, host: string): boolean =>
    origin === host || listed.has(origin) || (LOOPBACK.test(origin) && LOOPBACK.test(host));

  return (request, _response, next) => {
    const host = hostOf(`http://${request.headers.host}`);
    const origin = changingOrigin(request);
    if (!host || !isOurs(host)) next(unknownHost(request));
    else if (origin !== undefined && !isFriend(hostOf(origin), host)) next(crossSite(origin));
    else next();
  };
}

/** The page that wants to change something here; programs that are no browser send none. */
function changingOrigin({ method, headers }: Request): string | undefined {
  return SAFE_METHODS.has(method) ? undefined : headers.origin;
}

/** Without port, which says nothing about whose page it is; empty if there is none, as in the origin `null`. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : '';
}

/** `::1` is `[::1]` in a URL. */
function toUrlHost(name: string): string {
  return name.includes(':') ? `[${name}]` : name;
}

function unknownHost({ headers }: Request): AppError {
  return new AppError(
    'forbidden',
    'unknown_host',
    `This server doesn't go by the name ${JSON.stringify(headers.host ?? '')}. If it should, add the name to ALLOWED_HOSTS.`,
  );
}

function crossSite(origin: string): AppError {
  return new AppError(
    'forbidden',
    'cross_site_request',
    `A page of ${JSON.stringify(origin)} may not do this. If it should, add its host name to ALLOWED_HOSTS.`,
  );
}
