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

/** `scopes`: one of them is enough; the first is the usual one. */
export function missingScope(...scopes: readonly Scope[]): AppError {
  const [scope] = scopes;
  const names = scopes.map((each) => `"${each}"`).join(' or ');
  const message = `This needs a credential with the scope ${names}. Ask an admin of your tenant for a key or token with the scope ${names}.`;
  return new AppError('forbidden', 'missing_scope', message, { extra: { scope } });
}
