/** The database, for statements of a test's own: row-level security shows them every tenant. */
export function allTenants(url: string): string {
  const open = new URL(url);
  open.searchParams.set('options', '-c parley.tenant=*');
  return open.href;
}
