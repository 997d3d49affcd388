import { AppError } from '../kernel/app-error.js';
import type { Principal, Scope } from './principal.js';

const HOW = 'Send "Authorization: Bearer <key or token>", or "x-api-key: <key>" (docs/auth.md).';

/** Of a request without a credential. */
export function unauthenticated(): AppError {
  return new AppError('unauthenticated', 'unauthenticated', `A credential is needed. ${HOW}`);
}

/** Of a request with a credential that is not accepted; `reason` is a sentence. */
export function invalidCredential(reason: string, cause?: unknown): AppError {
  return new AppError('unauthenticated', 'invalid_credential', `${reason} ${HOW}`, { cause });
}

/** @throws AppError `missing_scope` (403), with `scope` */
export function requireScope({ scopes }: Pick<Principal, 'scopes'>, scope: Scope): void {
  if (!scopes.has(scope)) throw missingScope(scope);
}

export function missingScope(scope: Scope): AppError {
  const message = `This needs a credential with the scope "${scope}". Ask an admin of your tenant for one.`;
  return new AppError('forbidden', 'missing_scope', message, { extra: { scope } });
}
