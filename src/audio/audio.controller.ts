import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access } from '../auth/access.decorator.js';
import { Config } from '../config/config.js';
import { AdmissionGate } from '../streams/admission-gate.js';
import { CredentialWatch } from '../streams/credential-watch.js';
import { AudioService } from './audio.service.js';
import { readRecording, sendSpeech } from './http-audio.js';
import { RecordingDto, SpeechDto } from './dto/audio.dto.js';
import { transcript } from './transcript.js';
import type { Transcript } from './transcript.js';
import { ApiAnswer } from '../http/openapi/answer.js';

const BYTES = { 'audio/*': { schema: { type: 'string', format: 'binary' } } };

@ApiTags('audio')
@Access('chat')
@Controller('audio')
export class AudioController {
  constructor(
    private readonly audio: AudioService,
    private readonly gate: AdmissionGate,
    private readonly credentials: CredentialWatch,
    private readonly config: Config,
  ) {}

  @Post('transcriptions')
  @HttpCode(200)
  @ApiOperation({ summary: 'Turn a recording into text' })
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: RecordingDto })
  @ApiAnswer(200, transcript)
  @ApiResponse({ status: 400, description: 'The recording is empty.' })
  @ApiResponse({ status: 408, description: 'No byte came for a minute.' })
  @ApiResponse({ status: 413, description: 'AUDIO_MAX_BYTES or AUDIO_MAX_MS.' })
  @ApiResponse({ status: 415, description: 'The file is no audio.' })
  @ApiResponse({ status: 503, description: 'The endpoint fails, or is not set.' })
  async transcribe(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Transcript> {
    this.gate.requireOpen();
    return this.audio.slots.within(async () => {
      const { audioMaxBytes: limit } = this.config;
      const { taken, fields } = await readRecording(request, { limit, fields: ['language'] });
      const signal = this.credentials.signalOf(response);
      return this.audio.transcribe(taken, fields.get('language'), signal);
    });
  }

  @Post('speech')
  @HttpCode(200)
  @ApiOperation({ summary: 'Speak a text', description: 'The audio is sent as it is made.' })
  @ApiResponse({ status: 200, content: BYTES })
  @ApiResponse({ status: 400 })
  @ApiResponse({ status: 503, description: 'The endpoint fails, or is not set.' })
  async speak(@Body() body: SpeechDto, @Res() response: Response): Promise<void> {
    this.gate.requireOpen();
    const signal = this.credentials.signalOf(response);
    await sendSpeech(await this.audio.speak(body, signal), response, signal);
  }
}
