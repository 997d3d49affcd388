import type { Principal } from '../auth/principal.js';
import { AppError } from '../kernel/app-error.js';
import type { Viewer } from '../persistence/viewer.js';

export function viewerOf({ tenant_id, user_id, scopes }: Principal): Viewer {
  return { tenant_id, user_id, is_admin: scopes.has('admin') };
}

/** @throws AppError `missing_scope` (403) */
export function requireAdmin({ scopes }: Principal, action: string): void {
  if (scopes.has('admin')) return;
  throw new AppError(
    'forbidden',
    'missing_scope',
    `${action} needs the scope admin. Ask an admin of your tenant to do it, or to give you that scope.`,
  );
}
