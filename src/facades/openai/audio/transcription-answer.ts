import { unsupported } from '../parameters.js';
import type { Transcript, TranscriptSegment } from '../../../audio/transcript.js';

export const TRANSCRIPT_FORMATS = ['json', 'text', 'verbose_json', 'srt', 'vtt'] as const;
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

export interface TranscriptionAnswer {
  readonly mime_type: string;
  readonly body: string;
}

/**
 * A transcript in one of the API's formats.
 * @throws AppError `unsupported_parameter` (400) for subtitles of an endpoint that tells no times
 */
export function toTranscription(
  transcript: Transcript,
  format: TranscriptFormat,
): TranscriptionAnswer {
  switch (format) {
    case 'json':
      return json({ text: transcript.text });
    case 'verbose_json':
      return json(verbose(transcript));
    case 'text':
      return text(`${transcript.text}\n`);
    case 'srt':
      return text(cuesOf(transcript, format).map(toSrt).join(''));
    case 'vtt':
      return text(`WEBVTT\n\n${cuesOf(transcript, format).map(toVtt).join('')}`);
  }
}

function json(body: object): TranscriptionAnswer {
  return { mime_type: 'application/json', body: JSON.stringify(body) };
}

function text(body: string): TranscriptionAnswer {
  return { mime_type: 'text/plain; charset=utf-8', body };
}

function verbose({ text: said, language = '', duration_ms = 0, segments }: Transcript): object {
  return {
    ...{ task: 'transcribe', language, duration: duration_ms / 1000, text: said },
    ...(segments && { segments: segments.map(toSegment) }),
  };
}

/** With the fields that the API has, and the server does not know, at 0. */
function toSegment({ start_ms, end_ms, text: said }: TranscriptSegment, id: number): object {
  return {
    ...{ id, seek: 0, start: start_ms / 1000, end: end_ms / 1000, text: said, tokens: [] },
    ...{ temperature: 0, avg_logprob: 0, compression_ratio: 0, no_speech_prob: 0 },
  };
}

function cuesOf(
  { text: said, duration_ms, segments }: Transcript,
  format: TranscriptFormat,
): readonly TranscriptSegment[] {
  if (segments) return segments;
  if (duration_ms !== undefined) return [{ start_ms: 0, end_ms: duration_ms, text: said }];
  const why = `can’t be "${format}": the audio endpoint tells no times. Send "json" or "text"`;
  throw unsupported('response_format', why);
}

function toSrt({ start_ms, end_ms, text: said }: TranscriptSegment, index: number): string {
  return `${index + 1}\n${timeOf(start_ms, ',')} --> ${timeOf(end_ms, ',')}\n${lineOf(said)}\n\n`;
}

function toVtt({ start_ms, end_ms, text: said }: TranscriptSegment): string {
  return `${timeOf(start_ms, '.')} --> ${timeOf(end_ms, '.')}\n${lineOf(said)}\n\n`;
}

/** An empty line would end the cue. */
function lineOf(said: string): string {
  return said.replace(/\s+/g, ' ').replaceAll('-->', '->');
}

function timeOf(ms: number, point: string): string {
  const [hours, minutes, seconds] = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60];
  const rest = String(Math.floor(ms % 1000)).padStart(3, '0');
  return `${two(hours)}:${two(minutes)}:${two(seconds)}${point}${rest}`;
}

function two(value: number): string {
  return String(Math.floor(value)).padStart(2, '0');
}
