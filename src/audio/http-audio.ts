import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { Fields } from '../files/upload/incoming-file.js';
import { readUpload } from '../files/upload/read-upload.js';
import type { Speech } from './audio.service.js';

export interface SentRecording {
  readonly taken: { readonly filename: string; readonly content: Buffer };
  readonly fields: Fields;
}

/** @throws AppError as `readUpload` */
export function readRecording(
  request: Request,
  { limit, fields }: { readonly limit: number; readonly fields: readonly string[] },
): Promise<SentRecording> {
  return readUpload(request, {
    ...{ limit, limitedBy: 'AUDIO_MAX_BYTES', fields },
    take: async ({ filename, content }) => ({ filename, content: await buffer(content) }),
  });
}

/** Sends the audio as it is made. Where it breaks off, the connection is destroyed. */
export async function sendSpeech(
  { mime_type, chunks }: Speech,
  response: Response,
  signal: AbortSignal,
): Promise<void> {
  response.set({ 'Content-Type': mime_type, 'Cache-Control': 'no-store' });
  await pipeline(chunks, response, { signal }).catch(() => {});
}
