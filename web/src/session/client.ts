import { createClient, ParleyError } from 'parley/client';
import type { File as ServerFile, UploadOptions } from 'parley/client';
import { credential, isRefused } from './credential';
import { renewCredential } from './renew-credential';
import { takeServerTime } from './server-clock';

/** The page is at `<server>/console/`, under whatever path the server is. */
export const CONSOLE_PATH = new URL(document.baseURI).pathname.replace(/\/$/, '');
export const SERVER_URL = new URL('..', document.baseURI).href;

/** The one client of the page. */
export const client = createClient({ url: SERVER_URL, fetch: fetchAsSignedIn });

/**
 * Uploads a file and tells how far it is. With a `fetch` of its own the client would send a stream,
 * which browsers can't over HTTP/1.1.
 */
export async function uploadFile(file: Blob, options: UploadOptions): Promise<ServerFile> {
  const key = credential.get();
  const upload = (as: string | null): Promise<ServerFile> =>
    createClient({ url: SERVER_URL, key: as ?? undefined }).files.upload(file, options);
  try {
    return await upload(key);
  } catch (error) {
    const isRefusal = error instanceof ParleyError && error.status === 401;
    const renewed = isRefusal ? await renewedAfter(key) : null;
    if (renewed !== null) return upload(renewed);
    throw error;
  }
}

async function fetchAsSignedIn(
  input: Parameters<typeof fetch>[0],
  init?: RequestInit,
): Promise<Response> {
  const key = credential.get();
  const response = await fetchWith(key, input, init);
  if (response.status !== 401) return response;
  const renewed = await renewedAfter(key);
  return renewed === null ? response : fetchWith(renewed, input, init);
}

async function fetchWith(
  key: string | null,
  input: Parameters<typeof fetch>[0],
  init?: RequestInit,
): Promise<Response> {
  const headers = new Headers(init?.headers);
  if (key !== null) headers.set('authorization', `Bearer ${key}`);
  const response = await fetch(input, { ...init, headers, credentials: 'omit' });
  takeServerTime(response.headers.get('date'));
  return response;
}

/** The credential in place of one that was refused; null: a person has to give one. */
async function renewedAfter(refused: string | null): Promise<string | null> {
  // Another one may have come meanwhile.
  if (refused !== credential.get()) return credential.get();
  const renewed = await renewCredential();
  if (renewed === null && refused === credential.get()) isRefused.set(true);
  return renewed;
}
