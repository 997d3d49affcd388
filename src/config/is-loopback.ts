const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

/** True for the names and addresses of this machine to itself; `::1` also as `[::1]`. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
