import { SignJWT } from 'jose';
import type { JWTPayload } from 'jose';
import { loadConfig } from '../../config/load-config.js';
import { SystemClock } from '../../kernel/clock.js';
import { requireScope } from '../auth-errors.js';
import { JwtVerifier } from './jwt-verifier.js';

const JWT_SECRET = 'the-secret-of-hs256-in-tests-0123456789';
const [JWT_ISSUER, JWT_AUDIENCE] = ['https://issuer.example', 'parley'];

describe(JwtVerifier.name, () => {
  const config = loadConfig({ AUTH: 'jwt', JWT_ISSUER, JWT_AUDIENCE, JWT_SECRET });
  const verifier = new JwtVerifier(config, new SystemClock());

  const callerWith = async (more: JWTPayload) => {
    const token = new SignJWT({ sub: 'ann', org_id: 'acme', ...more })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(JWT_ISSUER)
      .setAudience(JWT_AUDIENCE)
      .setExpirationTime('5 minutes');
    return verifier.authenticate(await token.sign(new TextEncoder().encode(JWT_SECRET)));
  };

  it.each<[string, JWTPayload, string[]]>([
    ['a text', { scope: 'openid chat decide' }, ['chat', 'decide']],
    ['several claims', { scp: ['chat', 7], scopes: 'operate' }, ['chat', 'operate']],
    ['app roles of Entra', { roles: ['Reader', 'decide'] }, ['decide']],
    ['app roles beside a scope of another API', { scp: 'User.Read', roles: ['chat'] }, ['chat']],
    ['permissions of Auth0', { scope: 'openid', permissions: ['chat'] }, ['chat']],
    ['both', { roles: ['chat'], permissions: ['operate'] }, ['chat', 'operate']],
    ['a scope that is narrower than the roles', { scope: 'chat', roles: ['admin'] }, ['chat']],
    ['objects', { roles: { chat: true }, permissions: null }, []],
  ])('reads scopes of %s', async (_name, claims, scopes) => {
    expect([...(await callerWith(claims)).scopes]).toEqual(scopes);
  });

  it('names the claims to those who lack a scope, but not at any length', async () => {
    const caller = await callerWith({ scope: 'openid', roles: ['x'.repeat(1_000)] });
    const refuse = (): void => requireScope(caller, 'chat');
    expect(refuse).toThrow('Yours has none. The token has scope "openid", roles ["xxx');
    expect(refuse).toThrow(/^[^]{1,600}$/);
  });
});
