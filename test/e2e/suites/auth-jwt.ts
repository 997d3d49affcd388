import { exportJWK, exportSPKI, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import type { CryptoKey, JWK, JWTPayload } from 'jose';
import { eventually } from '../../support/eventually.js';
import { Issuer } from '../../support/server/issuer.js';
import { ADMIN_KEY, makeKey } from '../with-keys.js';
import type { ServerUnderTest, Servers } from '../servers.js';

const [JWT_ISSUER, JWT_AUDIENCE] = ['https://issuer.example', 'parley'];
const DAY_MS = 86_400_000;
/** Long enough for HS512 too. */
const JWT_SECRET = 'the-secret-of-hs256-in-tests-0123456789'.padEnd(64, '-');

/** The claims of a good token, by the clock of the server. */
function claims(server: ServerUnderTest, more: JWTPayload = {}): JWTPayload {
  const now = Math.floor(server.clock.now().getTime() / 1000);
  return {
    ...{ iss: JWT_ISSUER, aud: JWT_AUDIENCE, sub: 'ann', org_id: 'acme', scope: 'chat' },
    ...{ iat: now, exp: now + 600 },
    ...more,
  };
}

function seconds(server: ServerUnderTest, from_now: number): number {
  return Math.floor(server.clock.now().getTime() / 1000) + from_now;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export function describeAuthJwt(servers: Servers): void {
  describe('A server with AUTH=keys,jwt', () => {
    let issuer: Issuer;
    let publicJwk: JWK;
    beforeAll(async () => {
      issuer = await Issuer.start();
      publicJwk = await issuer.addKey('first');
      await issuer.addKey('elliptic', { alg: 'ES256' });
    });
    afterAll(() => issuer.stop());

    servers.run(
      () => ({
        ...{ AUTH: 'keys,jwt', ADMIN_KEY, JWT_ISSUER, JWT_AUDIENCE },
        JWT_JWKS_URL: issuer.url,
      }),
      (server) => {
        const send = (token: string, path = '/chats') => server.api.bearing(token).get(path);
        const status = async (token: string) => (await send(token)).status;
        const sign = (more?: JWTPayload, kid = 'first') => issuer.sign(kid, claims(server, more));

        /** Keys are old then: the next token makes the server ask for them. */
        const age = () => server.clock.pass(600_000);

        it('takes the tokens of its issuer, whose keys it asks for once', async () => {
          const before = issuer.requests;
          expect(await status(await sign())).toBe(200);
          expect(await status(await sign({ aud: ['other', JWT_AUDIENCE] }, 'elliptic'))).toBe(200);
          expect(issuer.requests - before).toBe(1);
        });

        it('takes keys beside tokens', async () => {
          const { key } = await makeKey(server.api, ['chat']);
          for (const each of [key, ADMIN_KEY]) expect(await status(each)).toBe(200);
        });

        it.each<[string, JWTPayload, number]>([
          ['scope', { scope: 'openid decide operate unknown' }, 200],
          ['scp', { scope: undefined, scp: ['operate', 7, 'chat'] }, 200],
          ['scopes', { scope: undefined, scopes: ['operate'] }, 200],
          ['roles', { scope: undefined, roles: ['Reader', 'operate'] }, 200],
          ['permissions', { scope: 'openid profile', permissions: ['operate'] }, 200],
          ['scope, which is narrower than roles', { scope: 'chat', roles: ['operate'] }, 403],
          [
            'scp, which is narrower than permissions',
            { scp: 'chat', permissions: ['operate'] },
            403,
          ],
          ['nothing of ours', { scope: 'openid operate:all Operate' }, 403],
          ['no scope', { scope: undefined }, 403],
        ])('reads scopes from %s', async (_name, more, expected) => {
          expect((await send(await sign(more), '/metrics')).status).toBe(expected);
        });

        it.each<[string, JWTPayload, string]>([
          ['others', { scope: 'openid', roles: ['Reader'] }, 'scope "openid", roles ["Reader"]'],
          ['too few', { scope: 'chat' }, 'Yours has chat. The token has scope "chat".'],
          [
            'none',
            { scope: undefined },
            'none of the claims scope, scp, scopes, roles, permissions',
          ],
        ])('says which scopes it found where there are %s', async (_name, more, found) => {
          const { status: answered, body } = await send(await sign(more), '/metrics');
          expect([answered, body.type]).toEqual([403, '/problems/missing_scope']);
          expect(body.detail).toContain(found);
        });

        it('takes tokens of clocks that are a little off', async () => {
          expect(await status(await sign({ exp: seconds(server, -2) }))).toBe(200);
          expect(await status(await sign({ nbf: seconds(server, 2) }))).toBe(200);
        });

        it.each<[string, string, (server: ServerUnderTest) => JWTPayload]>([
          ['expired', 'has expired', (of) => ({ exp: seconds(of, -10) })],
          ['without expiry', 'lacks the claim "exp"', () => ({ exp: undefined })],
          ['not yet valid', 'is not valid yet', (of) => ({ nbf: seconds(of, 60) })],
          ['for another audience', 'than JWT_AUDIENCE', () => ({ aud: 'other' })],
          ['for no audience', 'lacks the claim "aud"', () => ({ aud: undefined })],
          ['of another issuer', 'than JWT_ISSUER', () => ({ iss: 'https://evil.example' })],
          ['of no issuer', 'lacks the claim "iss"', () => ({ iss: undefined })],
          ['without tenant', 'claim "org_id"', () => ({ org_id: undefined })],
          ['with an empty tenant', 'claim "org_id"', () => ({ org_id: '' })],
          ['with a tenant that is a path', 'claim "org_id"', () => ({ org_id: '../acme' })],
          ['with a tenant that is no text', 'claim "org_id"', () => ({ org_id: 7 })],
          ['without subject', 'claim "sub"', () => ({ sub: undefined })],
          ['with an empty subject', 'claim "sub"', () => ({ sub: '' })],
          ['of ADMIN_KEY', 'ADMIN_KEY', () => ({ org_id: 'default', sub: 'admin' })],
        ])('refuses a token that is %s, and says so', async (_name, reason, more) => {
          const { status: answered, headers, body } = await send(await sign(more(server)));
          expect([answered, body.type]).toEqual([401, '/problems/invalid_credential']);
          expect(body.detail).toContain(reason);
          expect(headers.get('www-authenticate')).toContain('error="invalid_token"');
        });

        it('tells a wrong signature, a wrong algorithm and a malformed token apart', async () => {
          const [head, , signature] = (await sign()).split('.') as [string, string, string];
          const expired = encoded(claims(server, { exp: seconds(server, -10) }));
          const detailOf = async (token: string) => (await send(token)).body.detail as string;
          expect(await detailOf(`${head}.${expired}.${signature}`)).toContain('signature is wrong');
          for (const token of ['a.b.c', 'nonsense', '..'])
            expect(await detailOf(token)).toContain('malformed');
          const hs = await new SignJWT(claims(server))
            .setProtectedHeader({ alg: 'HS256', kid: 'first' })
            .sign(new TextEncoder().encode(JWT_SECRET));
          for (const token of [hs, new UnsecuredJWT(claims(server)).encode()])
            expect(await detailOf(token)).toContain('an algorithm that is not accepted');
        });

        it('refuses tokens without signature, and signed with the public key as a secret', async () => {
          const good = claims(server);
          const publicKey = (await importJWK(publicJwk, 'RS256', {
            extractable: true,
          })) as CryptoKey;
          const spki = await exportSPKI(publicKey);
          const hs = (secret: string, kid = 'first') =>
            new SignJWT(good)
              .setProtectedHeader({ alg: 'HS256', kid })
              .sign(new TextEncoder().encode(secret));
          const { n = '' } = await exportJWK(publicKey);
          const [, payload = ''] = (await sign()).split('.');
          const forged = [
            new UnsecuredJWT(good).encode(),
            `${encoded({ alg: 'none', kid: 'first' })}.${payload}.`,
            `${encoded({ alg: 'NonE', kid: 'first' })}.${payload}.AAAA`,
            await hs(spki),
            await hs(spki.trim()),
            await hs(n),
            await hs(JSON.stringify(publicJwk)),
            await hs(JWT_SECRET),
          ];
          for (const token of forged) expect([token, await status(token)]).toEqual([token, 401]);
        });

        it('refuses tokens that were changed, are no tokens or are too long', async () => {
          const [head, payload, signature] = (await sign()).split('.') as [string, string, string];
          const other = encoded(claims(server, { org_id: 'other' }));
          const long = await sign({ padding: 'x'.repeat(7000) });
          expect(long.length).toBeGreaterThan(8192);
          for (const token of [
            `${head}.${other}.${signature}`,
            `${head}.${payload}.${signature.slice(0, -8)}`,
            `${head}.${payload}`,
            `${head}.${payload}.`,
            `${encoded({ alg: 'RS256', kid: 'elliptic' })}.${payload}.${signature}`,
            `${encoded({ alg: 'RS256', kid: 'first', crit: ['x'], x: 1 })}.${payload}.${signature}`,
            `${encoded({ alg: 'RS256', jwk: publicJwk })}.${payload}.${signature}`,
            'a.b.c',
            '..',
            long,
          ])
            expect([token, await status(token)]).toEqual([token, 401]);
          expect(
            (await server.api.send('GET', '/chats', { headers: { 'x-api-key': await sign() } }))
              .status,
          ).toBe(401);
        });

        it('asks for unknown keys at most once in 10 s', async () => {
          server.clock.pass(10_000);
          await issuer.addKey('never', { hidden: true });
          const before = issuer.requests;
          const tokens = await Promise.all(Array.from({ length: 5 }, () => sign({}, 'never')));
          for (const token of tokens) expect(await status(token)).toBe(401);
          expect(issuer.requests - before).toBe(1);
          server.clock.pass(10_000);
          expect(await status(tokens[0]!)).toBe(401);
          expect(issuer.requests - before).toBe(2);
        });

        it('follows its issuer to new keys, and forgets old ones', async () => {
          server.clock.pass(10_000);
          await issuer.addKey('second');
          expect(await status(await sign({}, 'second'))).toBe(200);
          issuer.withdrawKey('second');
          age();
          expect(await status(await sign({}, 'second'))).toBe(401);
          expect(await status(await sign())).toBe(200);
        });

        const outage = async () => (await send(ADMIN_KEY, '/health/ready')).body.degraded;

        it('accepts tokens of known keys for a day while the issuer is away, and says so', async () => {
          expect(await status(await sign())).toBe(200);
          issuer.state = 'broken';
          age();
          expect(await status(await sign())).toBe(200);
          expect(await outage()).toEqual([
            { dependency: 'token issuer', since: expect.any(String) },
          ]);
          const before = issuer.requests;
          for (let n = 0; n < 5; n++) expect(await status(await sign())).toBe(200);
          expect(issuer.requests - before).toBeLessThanOrEqual(1);
          server.clock.pass(DAY_MS);
          const { status: answered, headers, body } = await send(await sign());
          expect([answered, body.type]).toEqual([503, '/problems/issuer_unavailable']);
          expect(headers.get('retry-after')).toMatch(/^[1-5]$/);
          expect(await status(ADMIN_KEY)).toBe(200);
          expect((await send(await sign(), '/health/ready')).status).toBe(200);
          issuer.state = 'up';
          server.clock.pass(1_000);
          expect(await status(await sign())).toBe(200);
          expect(await outage()).toBeUndefined();
        });

        it('does not say that a key is unknown while the issuer is away: it may be new', async () => {
          await issuer.addKey('new', { hidden: true });
          issuer.state = 'broken';
          for (const pause_ms of [0, 10_000, 600_000, 0]) {
            server.clock.pass(pause_ms);
            const { status: answered, body } = await send(await sign({}, 'new'));
            expect([answered, body.type]).toEqual([503, '/problems/issuer_unavailable']);
            expect(await status(await sign())).toBe(200);
          }
          issuer.state = 'up';
          age();
          expect(await status(await sign({}, 'new'))).toBe(401);
        });

        it('accepts no withdrawn key once the issuer is back', async () => {
          await issuer.addKey('third');
          server.clock.pass(10_000);
          expect(await status(await sign({}, 'third'))).toBe(200);
          issuer.state = 'broken';
          age();
          expect(await status(await sign({}, 'third'))).toBe(200);
          issuer.withdrawKey('third');
          issuer.state = 'up';
          server.clock.pass(1_000);
          const isRefused = async () => (await status(await sign({}, 'third'))) === 401;
          await eventually(isRefused); // the keys are fetched meanwhile
        });

        it('accepts no withdrawn key after an outage that no token has met the end of', async () => {
          await issuer.addKey('fourth');
          server.clock.pass(10_000);
          expect(await status(await sign({}, 'fourth'))).toBe(200);
          issuer.state = 'broken';
          age();
          expect(await status(await sign({}, 'fourth'))).toBe(200);
          issuer.withdrawKey('fourth');
          issuer.state = 'up';
          server.clock.pass(60_000);
          expect(await status(await sign({}, 'fourth'))).toBe(401);
        });

        it('waits for a silent issuer once, and then uses the keys that it knows', async () => {
          expect(await status(await sign())).toBe(200);
          issuer.state = 'silent';
          age();
          expect(await status(await sign())).toBe(200);
          expect(await outage()).toHaveLength(1);
          server.clock.pass(1_000);
          expect(await status(await sign())).toBe(200);
          issuer.state = 'up';
          age();
          await eventually(async () => (await status(await sign())) === 200 && !(await outage()));
        });

        it('makes keys for an admin of the token’s tenant', async () => {
          const token = await sign({ scope: 'admin' });
          const body = { user_id: 'bob', scopes: ['chat'] };
          const made = await server.api.bearing(token).post('/keys', body);
          expect(made).toMatchObject({
            status: 201,
            body: { tenant_id: 'acme', created_by: 'ann' },
          });
          const named = { ...body, tenant_id: 'default' };
          expect((await server.api.bearing(token).post('/keys', named)).status).toBe(403);
        });
      },
      { isOwn: true },
    );
  });

  describe('A server with JWT_SECRET', () => {
    servers.run(
      { AUTH: 'jwt', JWT_ISSUER, JWT_AUDIENCE, JWT_SECRET, JWT_TENANT_CLAIM: 'team' },
      (server) => {
        const sign = (alg: string, secret: string) =>
          new SignJWT(claims(server, { team: 'acme' }))
            .setProtectedHeader({ alg })
            .sign(new TextEncoder().encode(secret));
        const status = async (token: string) =>
          (await server.api.bearing(token).get('/chats')).status;

        it('takes tokens with HS256 and its secret only', async () => {
          expect(await status(await sign('HS256', JWT_SECRET))).toBe(200);
          expect(await status(await sign('HS256', `${JWT_SECRET}x`))).toBe(401);
          for (const alg of ['HS384', 'HS512'])
            expect([alg, await status(await sign(alg, JWT_SECRET))]).toEqual([alg, 401]);
          expect(await status(new UnsecuredJWT(claims(server, { team: 'acme' })).encode())).toBe(
            401,
          );
        });

        it('takes no key', async () => {
          expect(await status(`parley_${'0'.repeat(24)}_${'0'.repeat(64)}`)).toBe(401);
        });
      },
      { isOwn: true },
    );
  });
}
