import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  discoveryRequest,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  None,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  validateAuthResponse,
} from 'oauth4webapi';
import type { AuthorizationServer } from 'oauth4webapi';
import type { Tokens } from './credential';
import type { SignInSettings } from './sign-in-settings';

const NAME = 'parley.sign-in';

/** An attempt to sign in, kept in the tab until the issuer sends the browser back. */
interface Attempt {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
  /** Where to go on. */
  readonly path: string;
}

/** Leaves for the page of the issuer: authorization code with PKCE. */
export async function leaveForIssuer(settings: SignInSettings): Promise<void> {
  const server = await discover(settings);
  const attempt: Attempt = {
    verifier: generateRandomCodeVerifier(),
    state: generateRandomState(),
    nonce: generateRandomNonce(),
    path: location.href,
  };
  const address = new URL(server.authorization_endpoint!);
  const parameters = {
    response_type: 'code',
    client_id: settings.client_id,
    redirect_uri: redirectUri(),
    scope: settings.scopes,
    audience: settings.audience,
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  sessionStorage.setItem(NAME, JSON.stringify(attempt));
  location.assign(address);
}

/** @returns the tokens for an answer of the issuer, and where to go on; undefined: it is none */
export async function tokensOf(
  settings: SignInSettings,
  address: URL,
): Promise<(Tokens & { readonly path: string }) | undefined> {
  const kept = sessionStorage.getItem(NAME);
  if (kept === null || !address.searchParams.has('state')) return undefined;
  sessionStorage.removeItem(NAME);
  const { verifier, state, nonce, path } = JSON.parse(kept) as Attempt;
  const server = await discover(settings);
  const client = { client_id: settings.client_id };
  const answer = validateAuthResponse(server, client, address, state);
  const options = insecureFor(settings);
  const response = await authorizationCodeGrantRequest(
    ...([server, client, None(), answer, redirectUri(), verifier, options] as const),
  );
  const tokens = await processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
  });
  return { token: tokens.access_token, refresh_token: tokens.refresh_token, path };
}

/** New tokens of the same person, without asking them. */
export async function renewTokens(settings: SignInSettings, refreshToken: string): Promise<Tokens> {
  const server = await discover(settings);
  const client = { client_id: settings.client_id };
  const options = insecureFor(settings);
  const response = await refreshTokenGrantRequest(server, client, None(), refreshToken, options);
  const tokens = await processRefreshTokenResponse(server, client, response);
  // An issuer that gives no other one goes on with this.
  return { token: tokens.access_token, refresh_token: tokens.refresh_token ?? refreshToken };
}

async function discover(settings: SignInSettings): Promise<AuthorizationServer> {
  const issuer = new URL(settings.issuer);
  const response = await discoveryRequest(issuer, insecureFor(settings));
  return processDiscoveryResponse(issuer, response);
}

/** For issuers in development. */
function insecureFor({ issuer }: SignInSettings): { [allowInsecureRequests]: boolean } {
  return { [allowInsecureRequests]: issuer.startsWith('http:') };
}

function redirectUri(): string {
  return new URL('./', document.baseURI).href;
}
