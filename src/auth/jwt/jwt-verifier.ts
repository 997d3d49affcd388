import { Injectable } from '@nestjs/common';
import { errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import { Config } from '../../config/config.js';
import { AppError } from '../../kernel/app-error.js';
import { Clock } from '../../kernel/clock.js';
import { invalidCredential } from '../auth-errors.js';
import { isReserved, isScope, TENANT_ID, USER_ID, withIncluded } from '../principal.js';
import type { Principal, Scope } from '../principal.js';
import { KeySet } from './key-set.js';

/** Difference of clocks, in seconds. */
const TOLERANCE_S = 5;
/** Of public keys only: a public key must never verify as the secret of HS256. */
const PUBLIC_KEY_ALGORITHMS =
  'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

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
    this.keys = jwtJwksUrl ? new KeySet(jwtJwksUrl, clock) : undefined;
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
    return { tenant_id, user_id, scopes, expires_at: (exp! + TOLERANCE_S) * 1000 };
  }
}

/** Reads `scope`, `scp` and `scopes`: texts with spaces, or arrays. Skips unknown scopes. */
function scopesOf({ scope, scp, scopes }: JWTPayload): Scope[] {
  return [scope, scp, scopes]
    .flatMap((claim) => (typeof claim === 'string' ? claim.split(' ') : claim))
    .filter(isScope);
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
