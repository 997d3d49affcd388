import type { ConfigFault } from './config-error.js';
import { isLoopback } from './is-loopback.js';
import type { Variables } from './schema.js';

type AuthVariables = Pick<
  Variables,
  | 'HOST'
  | 'AUTH'
  | 'ADMIN_KEY'
  | 'JWT_ISSUER'
  | 'JWT_AUDIENCE'
  | 'JWT_JWKS_URL'
  | 'JWT_SECRET'
  | 'OIDC_CLIENT_ID'
>;

/** Settings of authentication that are missing, contradict each other or have no effect. */
export function findAuthFaults(variables: AuthVariables): ConfigFault[] {
  const { HOST, AUTH, ADMIN_KEY } = variables;
  const faults: ConfigFault[] = [];
  const add = (variable: string, problem: string): void => void faults.push({ variable, problem });
  if (!AUTH && !isLoopback(HOST))
    add(
      'AUTH',
      `is not set, and HOST=${HOST} serves other machines. Set AUTH=keys and an ADMIN_KEY, or AUTH=jwt (docs/auth.md); AUTH=none lets everybody in`,
    );
  if (AUTH?.includes('none') && AUTH.length > 1)
    add('AUTH', '"none" means that no request needs a credential: remove it, or the others');
  if (ADMIN_KEY && !AUTH?.includes('keys'))
    add('ADMIN_KEY', 'has no effect without AUTH=keys: add keys to AUTH, or unset it');
  return [...faults, ...findJwtFaults(variables)];
}

function findJwtFaults({
  AUTH,
  JWT_ISSUER,
  JWT_AUDIENCE,
  JWT_JWKS_URL,
  JWT_SECRET,
  OIDC_CLIENT_ID,
}: AuthVariables): ConfigFault[] {
  const given = { JWT_ISSUER, JWT_AUDIENCE, JWT_JWKS_URL, JWT_SECRET, OIDC_CLIENT_ID };
  if (!AUTH?.includes('jwt')) {
    const problem = 'has no effect without AUTH=jwt: add jwt to AUTH, or unset it';
    const unused = Object.entries(given).filter(([, value]) => value !== undefined);
    return unused.map(([variable]) => ({ variable, problem }));
  }
  const problem = 'is needed by AUTH=jwt: tokens of others are refused by it (docs/auth.md)';
  const faults = Object.entries({ JWT_ISSUER, JWT_AUDIENCE })
    .filter(([, value]) => value === undefined)
    .map(([variable]) => ({ variable, problem }));
  if (!JWT_JWKS_URL && !JWT_SECRET)
    faults.push({
      variable: 'JWT_JWKS_URL',
      problem: 'is needed by AUTH=jwt, or JWT_SECRET for tokens with HS256',
    });
  if (OIDC_CLIENT_ID && JWT_ISSUER && !/^https?:\/\//.test(JWT_ISSUER))
    faults.push({
      variable: 'OIDC_CLIENT_ID',
      problem: 'needs a JWT_ISSUER that is an address, where browsers sign in',
    });
  if (JWT_JWKS_URL && JWT_SECRET)
    faults.push({
      variable: 'JWT_SECRET',
      problem: 'is for HS256, but JWT_JWKS_URL is set; unset one of them',
    });
  return faults;
}

/** Warns of a server that others can reach and that knows no name of its own. */
export function findUnnamed({
  HOST,
  ALLOWED_HOSTS,
}: Pick<Variables, 'HOST' | 'ALLOWED_HOSTS'>): string[] {
  if (isLoopback(HOST) || ALLOWED_HOSTS.length > 0) return [];
  return [
    `HOST=${HOST} serves other machines, by its addresses only: set ALLOWED_HOSTS to the host names that clients use`,
  ];
}

/** Warns of a server that others can reach without a credential. */
export function findOpenDoor({ HOST, AUTH }: Pick<Variables, 'HOST' | 'AUTH'>): string[] {
  if (isLoopback(HOST) || !AUTH?.includes('none')) return [];
  return [
    `AUTH=none and HOST=${HOST}: everyone who reaches this server can read every chat and approve every call. Set AUTH=keys or AUTH=jwt (docs/auth.md)`,
  ];
}
