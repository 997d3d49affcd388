import type { ConfigFault } from './config-error.js';

/** The variables that it is about. */
interface PathVariables {
  readonly AUTH?: readonly string[] | undefined;
  readonly WORKSPACE_ROOTS: readonly string[];
}

/** In a path: the tenant whose chats may use it. */
export const TENANT = '{tenant}';

/** The part of a path that is the same for all tenants. */
export function commonPart(path: string): string {
  return path.split(`/${TENANT}`, 1)[0]!;
}

/** Tenants share no folder that chats can name. */
export function findSharedRoots({ AUTH, WORKSPACE_ROOTS }: PathVariables): ConfigFault[] {
  if (!AUTH || AUTH.includes('none')) return [];
  const shared = WORKSPACE_ROOTS.find((path) => !path.includes(TENANT));
  if (shared === undefined) return [];
  const problem = `"${shared}" would be open to the chats of all tenants: with AUTH, each path needs ${TENANT} in the place of the tenant's folder, as in "${shared}/${TENANT}"`;
  return [{ variable: 'WORKSPACE_ROOTS', problem }];
}
