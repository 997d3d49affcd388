/** The issuer where people sign in, as the server names it. */
export interface SignInSettings {
  readonly issuer: string;
  readonly client_id: string;
  /** Separated by spaces. */
  readonly scopes: string;
  readonly audience: string;
}

/** Null: a key or a token is pasted. */
export function readSignInSettings(): SignInSettings | null {
  const { dataset } = document.querySelector<HTMLMetaElement>('meta[name=parley-sign-in]') ?? {};
  const { issuer = '', clientId = '', scopes = '', audience = '' } = dataset ?? {};
  return issuer === '' ? null : { issuer, client_id: clientId, scopes, audience };
}
