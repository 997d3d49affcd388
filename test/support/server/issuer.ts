import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { CryptoKey, JWK, JWTPayload } from 'jose';

interface SigningKey {
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** An issuer of tokens with its own JWKS server. */
export class Issuer {
  /** Requests that asked for its keys. */
  requests = 0;
  /** Answers of its server: its keys, an error, or nothing at all. */
  state: 'up' | 'broken' | 'silent' = 'up';
  private readonly keys = new Map<string, SigningKey>();
  private readonly published = new Map<string, SigningKey>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Issuer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const issuer = new Issuer(server);
    server.on('request', (_request, response) => issuer.answer(response));
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/jwks`;
  }

  /** Makes a key; the server shows it unless it is `hidden`. */
  async addKey(kid: string, { alg = 'RS256', hidden = false } = {}): Promise<JWK> {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
    const key = { alg, privateKey, jwk };
    this.keys.set(kid, key);
    if (!hidden) this.published.set(kid, key);
    return jwk;
  }

  /** The server no longer shows the key. */
  withdrawKey(kid: string): void {
    this.published.delete(kid);
  }

  sign(kid: string, payload: JWTPayload): Promise<string> {
    const { alg, privateKey } = this.keys.get(kid)!;
    return new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(privateKey);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private answer(response: ServerResponse): void {
    this.requests++;
    if (this.state === 'silent') return;
    if (this.state === 'broken') response.statusCode = 500;
    const keys = [...this.published.values()].map(({ jwk }) => jwk);
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }));
  }
}
