import { credential, renew, takeRefreshToken } from './credential';
import { readSignInSettings } from './sign-in-settings';

let renewing: Promise<string | null> | undefined;

/** A new token in place of one that the server refuses; null: the person has to sign in. */
export function renewCredential(): Promise<string | null> {
  renewing ??= askIssuer().finally(() => (renewing = undefined));
  return renewing;
}

async function askIssuer(): Promise<string | null> {
  const [refused, refreshToken] = [credential.get(), takeRefreshToken()];
  const settings = readSignInSettings();
  if (refreshToken === null || !settings) return null;
  try {
    const { renewTokens } = await import('./oidc');
    const tokens = await renewTokens(settings, refreshToken);
    // Signed out meanwhile.
    if (credential.get() !== refused) return null;
    renew(tokens);
    return tokens.token;
  } catch {
    return null;
  }
}
