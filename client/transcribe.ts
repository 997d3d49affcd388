import type { Http } from './http.js';
import type { CallOptions } from './request.js';
import type { Transcript } from './types.js';

export interface TranscribeOptions extends CallOptions {
  /** ISO 639-1; unless given, it is detected. */
  readonly language?: string | undefined;
  readonly filename?: string | undefined;
}

/** @throws ParleyError if it is refused */
export async function transcribe(
  http: Http,
  recording: Blob,
  { language, filename, signal }: TranscribeOptions = {},
): Promise<Transcript> {
  const form = new FormData();
  if (language !== undefined) form.append('language', language);
  const name = filename ?? (recording as { readonly name?: string }).name;
  form.append('file', recording, name ?? 'recording');
  const response = await http.send('POST', '/audio/transcriptions', { body: form, signal });
  return (await response.json()) as Transcript;
}
