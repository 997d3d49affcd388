import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AudioService } from '../../../audio/audio.service.js';
import { readRecording, sendSpeech } from '../../../audio/http-audio.js';
import { Access } from '../../../auth/access.decorator.js';
import { Config } from '../../../config/config.js';
import type { Fields } from '../../../files/upload/incoming-file.js';
import { AdmissionGate } from '../../../streams/admission-gate.js';
import { CredentialWatch } from '../../../streams/credential-watch.js';
import { invalidBody, unsupported } from '../parameters.js';
import { readSpeechBody } from './speech-body.js';
import { TRANSCRIPT_FORMATS, toTranscription } from './transcription-answer.js';
import type { TranscriptFormat } from './transcription-answer.js';

/** Fields that the endpoint is not told, with the values that change nothing. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  prompt: [''],
  temperature: ['0'],
  stream: ['false'],
  chunking_strategy: ['auto'],
  'timestamp_granularities[]': ['segment'],
  'include[]': [],
};

/** Its models are those of the configuration, whatever `model` says. */
@ApiExcludeController()
@Access('chat')
@Controller('v1/audio')
export class OpenAiAudioController {
  constructor(
    private readonly audio: AudioService,
    private readonly gate: AdmissionGate,
    private readonly credentials: CredentialWatch,
    private readonly config: Config,
  ) {}

  @Post('transcriptions')
  async transcribe(@Req() request: Request, @Res() response: Response): Promise<void> {
    this.gate.requireOpen();
    const { mime_type, body } = await this.audio.slots.within(async () => {
      const { audioMaxBytes: limit } = this.config;
      const known = ['model', 'language', 'response_format', ...Object.keys(REFUSED)];
      const { taken, fields } = await readRecording(request, { limit, fields: known });
      const format = formatOf(fields);
      const language = fields.get('language') || undefined;
      const signal = this.credentials.signalOf(response);
      return toTranscription(await this.audio.transcribe(taken, language, signal), format);
    });
    response.status(200).type(mime_type).send(body);
  }

  @Post('speech')
  @HttpCode(200)
  async speak(@Body() body: unknown, @Res() response: Response): Promise<void> {
    this.gate.requireOpen();
    const request = readSpeechBody(body);
    const signal = this.credentials.signalOf(response);
    await sendSpeech(await this.audio.speak(request, signal), response, signal);
  }
}

/** @throws AppError `invalid_body`, `unsupported_parameter` (400) */
function formatOf(fields: Fields): TranscriptFormat {
  if (!fields.get('model')) throw invalidBody('model', 'is needed');
  for (const [name, taken] of Object.entries(REFUSED)) {
    const value = fields.get(name);
    if (value === undefined || taken.includes(value)) continue;
    throw unsupported(name, 'can’t be honoured: leave it out');
  }
  const asked = fields.get('response_format') ?? 'json';
  const format = TRANSCRIPT_FORMATS.find((each) => each === asked);
  if (!format) throw invalidBody('response_format', `must be ${TRANSCRIPT_FORMATS.join(', ')}`);
  return format;
}
