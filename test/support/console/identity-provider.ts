import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { CryptoKey, JWK } from 'jose';

/** A provider of OpenID Connect at which everybody is signed in as `ann` already. */
export class IdentityProvider {
  /** What browsers were sent here with. */
  readonly asked: URLSearchParams[] = [];
  /** Of the tokens that it gives, in seconds. */
  lifetime_s = 300;
  /** True: a token can be renewed, once with each refresh token. */
  renews = false;
  renewals = 0;
  private readonly codes = new Map<string, URLSearchParams>();
  private readonly refreshTokens = new Map<string, URLSearchParams>();

  private constructor(
    private readonly server: Server,
    private readonly key: CryptoKey,
    private readonly jwk: JWK,
  ) {}

  static async start(): Promise<IdentityProvider> {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const provider = new IdentityProvider(server, privateKey, jwk);
    server.on('request', (request, response) => void provider.answer(request, response));
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, this.url);
    if (pathname === '/authorize') return this.sendBack(searchParams, response);
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(await this.document(pathname, request, response)));
  }

  private sendBack(asked: URLSearchParams, response: ServerResponse): void {
    this.asked.push(asked);
    const code = randomUUID();
    this.codes.set(code, asked);
    const back = new URL(asked.get('redirect_uri')!);
    back.search = new URLSearchParams({ code, state: asked.get('state')! }).toString();
    response.writeHead(302, { location: back.href }).end();
  }

  private async document(
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<object> {
    if (path === '/jwks') return { keys: [this.jwk] };
    if (path === '/token') return this.tokens(new URLSearchParams(await text(request)), response);
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/jwks`,
      code_challenge_methods_supported: ['S256'],
    };
  }

  /** A code counts once, for the browser that has begun. */
  private async tokens(form: URLSearchParams, response: ServerResponse): Promise<object> {
    const old = this.refreshTokens.get(form.get('refresh_token') ?? '');
    if (old) {
      this.refreshTokens.delete(form.get('refresh_token')!);
      this.renewals++;
      return this.give(old);
    }
    const asked = this.codes.get(form.get('code')!);
    this.codes.delete(form.get('code')!);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (asked?.get('code_challenge') !== challenge) {
      response.statusCode = 400;
      return { error: 'invalid_grant' };
    }
    return this.give(asked);
  }

  private async give(asked: URLSearchParams): Promise<object> {
    const { client_id, audience, scope, nonce } = Object.fromEntries(asked);
    const sign = (payload: object) =>
      new SignJWT({ ...payload, iss: this.url, sub: 'ann' })
        .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
        .setIssuedAt()
        .setExpirationTime(`${this.lifetime_s} s`)
        .sign(this.key);
    const refresh_token = randomUUID();
    if (this.renews) this.refreshTokens.set(refresh_token, asked);
    return {
      access_token: await sign({ aud: audience, scope, org_id: 'acme' }),
      id_token: await sign({ aud: client_id, nonce }),
      token_type: 'Bearer',
      expires_in: this.lifetime_s,
      ...(this.renews && { refresh_token }),
    };
  }
}
