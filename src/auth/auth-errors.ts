import { AppError } from '../kernel/app-error.js';
import type { Principal, Scope } from './principal.js';

const HOW = 'Send "Authorization: Bearer <key or token>", or "x-api-key: <key>" (docs/auth.md).';

/** Error for a request without a credential. */
export function unauthenticated(): AppError {
  return new AppError('unauthenticated', 'unauthenticated', `A credential is needed. ${HOW}`);
}

/** Error for a request with a credential that is not accepted; `reason` is a sentence. */
export function invalidCredential(reason: string, cause?: unknown): AppError {
  return new AppError('unauthenticated', 'invalid_credential', `${reason} ${HOW}`, { cause });
}

/** Claims of tokens that scopes were read from, as a sentence: only for those that lack one. */
const claims = new WeakMap<Pick<Principal, 'scopes'>, string>();

export function rememberClaims(principal: Principal, sentence: string): Principal {
  claims.set(principal, sentence);
  return principal;
}

/**
 * @param needed one of them is enough; the first is the usual one
 * @throws AppError `missing_scope` (403), with `scope`
 */
export function requireScope(caller: Pick<Principal, 'scopes'>, ...needed: readonly Scope[]): void {
  if (!needed.some((scope) => caller.scopes.has(scope))) throw missingScope(caller, ...needed);
}

function missingScope(caller: Pick<Principal, 'scopes'>, ...needed: readonly Scope[]): AppError {
  const [scope] = needed;
  const names = needed.map((each) => `"${each}"`).join(' or ');
  const found = `Yours has ${[...caller.scopes].join(', ') || 'none'}.`;
  const read = [found, claims.get(caller)].filter(Boolean).join(' ');
  const message = `This needs a credential with the scope ${names}. ${read} Ask an admin of your tenant for a key or token with the scope ${names}.`;
  return new AppError('forbidden', 'missing_scope', message, { extra: { scope } });
}
