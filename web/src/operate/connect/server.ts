import { credential } from '../../session/credential';
import { SERVER_URL } from '../../session/client';

export interface Server {
  /** Without a final slash. */
  readonly url: string;
  /** In place of a key, which is never shown. */
  readonly key: string;
}

/** The server of this page; one that asks for no credential takes any. */
export function serverOfPage(): Server {
  const key = credential.get() === null ? 'none' : 'YOUR_KEY';
  return { url: SERVER_URL.replace(/\/$/, ''), key };
}

/** The names of the protocols that the server speaks, as in FACADES. */
export function servedFacades(): ReadonlySet<string> {
  const meta = document.querySelector<HTMLMetaElement>('meta[name=parley-facades]');
  return new Set(meta?.content.split(' '));
}
