import { Store } from '../ui/store';
import { isRefused, signInWith } from './credential';
import { readSignInSettings } from './sign-in-settings';

/** The reason why the issuer's answer was of no use. */
export const signInFault = new Store<unknown>(undefined);

/** Takes the token that the issuer has sent the browser back for, before anything is asked for. */
export async function finishSignIn(): Promise<void> {
  const settings = readSignInSettings();
  const address = new URL(location.href);
  if (!settings || !address.searchParams.has('state')) return;
  history.replaceState(null, '', address.pathname);
  try {
    const { tokensOf } = await import('./oidc');
    const answer = await tokensOf(settings, address);
    if (!answer) return;
    history.replaceState(null, '', answer.path);
    signInWith(answer);
  } catch (error) {
    signInFault.set(error);
    isRefused.set(true);
  }
}
