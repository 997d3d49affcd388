import { Injectable } from '@nestjs/common';
import { errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import { Config } from '../../config/config.js';
import { proxyFor } from '../../config/proxy-for.js';
import { AppError } from '../../kernel/app-error.js';
import { Clock } from '../../kernel/clock.js';
import { cutText } from '../../kernel/text/cut-text.js';
import { invalidCredential, rememberClaims } from '../auth-errors.js';
import { isReserved, isScope, TENANT_ID, USER_ID, withIncluded } from '../principal.js';
import type { Principal, Scope } from '../principal.js';
import { keyRequest, KeySet } from './key-set.js';

/** Difference of clocks, in seconds. */
const TOLERANCE_S = 5;
/** Algorithms with public keys only: a public key must never verify as the secret of HS256. */
const PUBLIC_KEY_ALGORITHMS =
  'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/** Claims with the scopes that a client asked for and got. */
const GRANTED = ['scope', 'scp', 'scopes'];
/** Claims with all rights of a user or machine: app roles of Entra, permissions of Auth0. */
const ASSIGNED = ['roles', 'permissions'];
/** Characters of them in a refusal. */
const MAX_CLAIMS = 300;

/** Accepts the tokens of one issuer. */
@Injectable()
export class JwtVerifier {
  private readonly options: JWTVerifyOptions;
  private readonly keys: KeySet | undefined;
  private readonly getKey: JWTVerifyGetKey;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    const { jwtIssuer, jwtAudience, jwtJwksUrl, jwtSecret } = config;
    const secret = new TextEncoder().encode(jwtSecret?.reveal() ?? '');
    this.keys = jwtJwksUrl
      ? new KeySet(keyRequest(jwtJwksUrl, proxyFor(config, jwtJwksUrl)), clock)
      : undefined;
    this.getKey = this.keys?.getKey ?? (() => secret);
    this.options = {
      issuer: jwtIssuer ?? [],
      audience: jwtAudience ?? [],
      algorithms: jwtJwksUrl ? PUBLIC_KEY_ALGORITHMS : ['HS256'],
      requiredClaims: ['exp'],
      clockTolerance: TOLERANCE_S,
    };
  }

  /** Time since which the keys of the issuer are unavailable; undefined while they are not. */
  get awaySince(): Date | undefined {
    return this.keys?.awaySince;
  }

  /** @throws AppError `invalid_credential` (401), `issuer_unavailable` (503) */
  async authenticate(token: string): Promise<Principal> {
    try {
      const options = { ...this.options, currentDate: this.clock.now() };
      return this.toPrincipal((await jwtVerify(token, this.getKey, options)).payload);
    } catch (error) {
      throw error instanceof AppError ? error : invalidCredential(reasonOf(error), error);
    }
  }

  private toPrincipal(payload: JWTPayload): Principal {
    const { jwtTenantClaim } = this.config;
    const { sub: user_id, exp } = payload;
    const tenant_id = payload[jwtTenantClaim];
    if (typeof user_id !== 'string' || !USER_ID.test(user_id))
      throw invalidCredential('The token has no valid claim "sub".');
    if (typeof tenant_id !== 'string' || !TENANT_ID.test(tenant_id))
      throw invalidCredential(
        `The token's claim "${jwtTenantClaim}" has to be 1 to 64 letters, digits, _, . or -, and begin with a letter or digit.`,
      );
    if (isReserved({ tenant_id, user_id }))
      throw invalidCredential(
        'The user "admin" of the tenant "default" is the holder of ADMIN_KEY.',
      );
    const scopes = withIncluded(scopesOf(payload));
    const expires_at = (exp! + TOLERANCE_S) * 1000;
    return rememberClaims({ tenant_id, user_id, scopes, expires_at }, describeClaims(payload));
  }
}

/** The scopes that were granted; else what the user or the machine may do. Skips unknown ones. */
function scopesOf(payload: JWTPayload): Scope[] {
  const granted = scopesIn(payload, GRANTED);
  return granted.length > 0 ? granted : scopesIn(payload, ASSIGNED);
}

/** Claims are texts with spaces, or arrays. */
function scopesIn(payload: JWTPayload, names: readonly string[]): Scope[] {
  return names
    .map((name) => payload[name])
    .flatMap((claim) => (typeof claim === 'string' ? claim.split(' ') : claim))
    .filter(isScope);
}

function describeClaims(payload: JWTPayload): string {
  const names = [...GRANTED, ...ASSIGNED];
  const found = names.filter((name) => payload[name] !== undefined);
  if (found.length === 0) return `The token has none of the claims ${names.join(', ')}.`;
  const texts = found.map((name) => `${name} ${JSON.stringify(payload[name])}`);
  return `The token has ${cutText(texts.join(', '), MAX_CLAIMS)}.`;
}

/** Claims are only looked at once the signature is right, so these tell nothing to others. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed) return reasonOfClaim(error);
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return "The token's signature is wrong.";
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return 'The token is signed with a key that its issuer does not publish.';
  if (error instanceof errors.JOSEAlgNotAllowed)
    return 'The token is signed with an algorithm that is not accepted (docs/auth.md).';
  return 'The token is malformed: it has to be a signed JWT.';
}

function reasonOfClaim({ claim, reason }: errors.JWTClaimValidationFailed): string {
  if (reason === 'missing') return `The token lacks the claim "${claim}".`;
  if (claim === 'iss') return 'The token is of another issuer than JWT_ISSUER.';
  if (claim === 'aud') return 'The token is for another audience than JWT_AUDIENCE.';
  if (claim === 'nbf') return 'The token is not valid yet.';
  return `The token's claim "${claim}" is not accepted.`;
}
