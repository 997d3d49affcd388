import { toError, unreachable } from './http.js';
import type { Http } from './http.js';
import type { CallOptions } from './request.js';
import type { File } from './types.js';

export interface UploadOptions extends CallOptions {
  /** In place of the file's own. */
  readonly filename?: string | undefined;
  /** The chat that it belongs to. */
  readonly chat_id?: string | undefined;
  /**
   * Called with the bytes of the file that have been sent, as it is uploaded; once at the end in a
   * browser whose client has a `fetch` of its own.
   */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface Progress {
  readonly sent: number;
  readonly total: number;
}

/** The part of `XMLHttpRequest` that is used here, which Node does not have. */
interface Xhr extends Target {
  readonly status: number;
  readonly statusText: string;
  readonly responseText: string;
  readonly upload: Target;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: FormData): void;
  abort(): void;
}

interface Target {
  addEventListener(type: string, listener: (event: { readonly loaded: number }) => void): void;
}

interface Sent {
  readonly form: FormData;
  readonly tell: (sent: number) => void;
  readonly signal: AbortSignal | undefined;
}

const PATH = '/files';

/** @throws ParleyError if it is refused */
export async function upload(
  http: Http,
  file: Blob,
  { chat_id, filename, onProgress, signal }: UploadOptions = {},
): Promise<File> {
  const form = new FormData();
  if (chat_id !== undefined) form.append('chat_id', chat_id);
  form.append('file', file, filename ?? (file as { readonly name?: string }).name ?? 'file');
  const tell = (sent: number): void =>
    onProgress?.({ sent: Math.min(sent, file.size), total: file.size });
  const { XMLHttpRequest } = globalThis as { readonly XMLHttpRequest?: new () => Xhr };
  const response =
    onProgress && XMLHttpRequest && !http.ownFetch
      ? await sendByXhr(http, new XMLHttpRequest(), { form, tell, signal })
      : await http.send('POST', PATH, {
          ...(onProgress && !XMLHttpRequest ? counted(form, tell) : { body: form }),
          signal,
        });
  tell(file.size);
  return (await response.json()) as File;
}

/** The form as a stream that tells what was read of it: browsers can't send one over HTTP/1.1. */
function counted(form: FormData, tell: (sent: number) => void) {
  const { headers, body } = new Response(form);
  let sent = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      tell((sent += chunk.byteLength));
    },
  });
  const type = headers.get('content-type')!;
  return { headers: { 'content-type': type }, body: body!.pipeThrough(counter) };
}

async function sendByXhr(http: Http, xhr: Xhr, { form, tell, signal }: Sent): Promise<Response> {
  const headers = Object.entries(await http.credential());
  signal?.throwIfAborted();
  const abort = (): void => xhr.abort();
  const done = new Promise<void>((resolve, reject) => {
    const brokeOff = unreachable(http.url, new Error('the upload broke off'));
    xhr.addEventListener('load', () => resolve());
    xhr.addEventListener('error', () => reject(brokeOff));
    xhr.addEventListener('abort', () => reject(signal!.reason as Error));
  });
  xhr.open('POST', http.address(PATH));
  for (const [name, value] of headers) xhr.setRequestHeader(name, value);
  xhr.upload.addEventListener('progress', ({ loaded }) => tell(loaded));
  signal?.addEventListener('abort', abort);
  xhr.send(form);
  await done.finally(() => signal?.removeEventListener('abort', abort));
  const response = responseOf(xhr);
  if (response.ok) return response;
  throw await toError(response);
}

function responseOf(xhr: Xhr): Response {
  const { status, statusText, responseText } = xhr;
  const retryAfter = xhr.getResponseHeader('retry-after');
  const headers = new Headers(retryAfter === null ? undefined : { 'retry-after': retryAfter });
  return new Response(responseText, { status, statusText, headers });
}
