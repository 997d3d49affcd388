import { z } from 'zod';
import { AUDIO_FORMATS } from '../../../audio/audio-provider.js';
import type { AudioFormat } from '../../../audio/audio-provider.js';
import { unsupported } from '../parameters.js';
import { optional, readBody } from '../read-body.js';

const name = z.string().min(1).max(100);

const speechBody = z.object({
  model: name,
  input: z.string().min(1).max(4096),
  voice: optional(z.union([name, z.object({ id: name })])),
  response_format: optional(z.enum(AUDIO_FORMATS)),
  speed: optional(z.number()),
  instructions: optional(z.string()),
  stream_format: optional(z.string()),
});

/** @throws AppError `invalid_body`, `unsupported_parameter` (400) */
export function readSpeechBody(body: unknown): {
  readonly text: string;
  readonly voice?: string;
  readonly format?: AudioFormat;
} {
  const { input, voice, response_format, speed, instructions, stream_format } = readBody(
    speechBody,
    body,
  );
  if ((speed ?? 1) !== 1) throw unsupported('speed', 'can’t be honoured: leave it out, or send 1');
  if (instructions) throw unsupported('instructions', 'can’t be honoured: leave it out');
  if ((stream_format ?? 'audio') !== 'audio')
    throw unsupported('stream_format', 'can’t be honoured: only "audio" is supported');
  const id = typeof voice === 'string' ? voice : voice?.id;
  return {
    text: input,
    ...(id !== undefined && { voice: id }),
    ...(response_format && { format: response_format }),
  };
}
