/** An endpoint as messages show it: without user, password and query. */
export function endpointName(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
