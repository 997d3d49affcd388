import { isAbsolute, resolve, sep } from 'node:path';
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

/** True if the chats of a tenant may name a path by the roots. Links are not followed here. */
export function isUnderRoots(path: string, roots: readonly string[], tenantId: string): boolean {
  if (!isAbsolute(path) || path.includes('\0')) return false;
  return roots.some((root) => isIn(resolve(path), root.replace(TENANT, tenantId)));
}

export function isIn(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Tenants share no folder that chats can name. */
export function findSharedRoots({ AUTH, WORKSPACE_ROOTS }: PathVariables): ConfigFault[] {
  if (!AUTH || AUTH.includes('none')) return [];
  const shared = WORKSPACE_ROOTS.find((path) => !path.includes(TENANT));
  if (shared === undefined) return [];
  const problem = `"${shared}" would be open to the chats of all tenants: with AUTH, each path needs ${TENANT} in the place of the tenant's folder, as in "${shared}/${TENANT}"`;
  return [{ variable: 'WORKSPACE_ROOTS', problem }];
}
