import type { Config } from './config.js';
import { isLoopback } from './is-loopback.js';

/**
 * The proxy for requests to a URL, undefined for none: `HTTPS_PROXY` for https, except for loopback
 * addresses and the hosts of `NO_PROXY` with their subdomains.
 */
export function proxyFor(
  { httpsProxy, noProxy }: Pick<Config, 'httpsProxy' | 'noProxy'>,
  url: string,
): string | undefined {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:' || isLoopback(hostname)) return undefined;
  const names = [hostname, `${hostname}:${port || 443}`];
  const isExcepted = noProxy.some((entry) => {
    const domain = entry.replace(/^\./, '');
    return entry === '*' || names.some((name) => name === domain || name.endsWith(`.${domain}`));
  });
  return isExcepted ? undefined : httpsProxy?.reveal();
}

/** For the log: where requests go, without user and password. */
export function describeProxy({
  httpsProxy,
  noProxy,
}: Pick<Config, 'httpsProxy' | 'noProxy'>): string | undefined {
  if (!httpsProxy) return undefined;
  const names = noProxy.length > 0 ? ` and those of NO_PROXY: ${noProxy.join(', ')}` : '';
  return `HTTPS_PROXY: requests with https go through ${new URL(httpsProxy.reveal()).origin}, except to loopback addresses${names}. Postgres, Redis and servers with http are reached directly; programs (the shell, MCP servers with a command) don't inherit the variable.`;
}
