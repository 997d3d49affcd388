import { Store } from '../ui/store';

const NAME = 'parley.credential';
const REFRESH = 'parley.refresh-token';

/** Names of texts that were typed and not sent, which end with the session. */
export const DRAFT = 'parley.draft.';
/** Names what agents were told from this tab, which ends with the session too. */
export const RECEIPTS = 'parley.receipts';

/** A key or token, or null: none was given. Kept for the tab, or longer where a person asked so. */
export const credential = new Store<string | null>(
  sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME),
);

/** Counts sign-ins and sign-outs. A token that is renewed is the same session. */
export const session = new Store(0);

/** True while the server refuses requests with the credential, or without one. */
export const isRefused = new Store(false);

/** An access token of an issuer, and what renews it. */
export interface Tokens {
  readonly token: string;
  readonly refresh_token: string | undefined;
}

export function signIn(value: string, keep: boolean): void {
  forget();
  (keep ? localStorage : sessionStorage).setItem(NAME, value);
  begin(value);
}

/** For the tab alone. */
export function signInWith(tokens: Tokens): void {
  forget();
  keepTokens(tokens);
  begin(tokens.token);
}

/** Streams end, as their requests are refused from now on. */
export function signOut(): void {
  forget();
  end();
}

/** For new tokens of the same person; null: there are none. It counts once. */
export function takeRefreshToken(): string | null {
  const token = sessionStorage.getItem(REFRESH);
  sessionStorage.removeItem(REFRESH);
  return token;
}

export function renew(tokens: Tokens): void {
  keepTokens(tokens);
  credential.set(tokens.token);
}

function begin(value: string): void {
  credential.set(value);
  session.set(session.get() + 1);
  isRefused.set(false);
}

function end(): void {
  isRefused.set(true);
  credential.set(null);
  session.set(session.get() + 1);
  sessionStorage.removeItem(RECEIPTS);
  for (const name of Object.keys(localStorage))
    if (name.startsWith(DRAFT)) localStorage.removeItem(name);
}

function forget(): void {
  for (const name of [NAME, REFRESH]) sessionStorage.removeItem(name);
  localStorage.removeItem(NAME);
}

function keepTokens({ token, refresh_token }: Tokens): void {
  sessionStorage.setItem(NAME, token);
  if (refresh_token !== undefined) sessionStorage.setItem(REFRESH, refresh_token);
}

/** Signed out in one tab: signed out in all that used the same. */
addEventListener('storage', ({ key, newValue, storageArea }) => {
  const isOurs = storageArea === localStorage && key === NAME;
  if (!isOurs || sessionStorage.getItem(NAME) !== null) return;
  if (newValue === null) end();
  else begin(newValue);
});
