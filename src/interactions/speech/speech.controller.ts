import { pipeline } from 'node:stream/promises';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ChatAccess } from '../../access/chat-access.js';
import type { Speech } from '../../audio/audio.service.js';
import { Access } from '../../auth/access.decorator.js';
import { Caller } from '../../auth/caller.decorator.js';
import type { Principal } from '../../auth/principal.js';
import { Config } from '../../config/config.js';
import { InteractionIdDto } from '../../http/input/ids.dto.js';
import { CredentialWatch } from '../../streams/credential-watch.js';
import { EventStreams } from '../../streams/event-streams.js';
import { SpeechQueryDto } from '../dto/speech-query.dto.js';
import { AnswerSpeech } from './answer-speech.js';

const BYTES = { 'audio/*': { schema: { type: 'string', format: 'binary' } } };

@ApiTags('audio')
@Access('chat')
@Controller('chats/:chat_id/interactions')
export class SpeechController {
  constructor(
    private readonly access: ChatAccess,
    private readonly speech: AnswerSpeech,
    private readonly streams: EventStreams,
    private readonly credentials: CredentialWatch,
    private readonly config: Config,
  ) {}

  @Get(':interaction_id/speech')
  @ApiOperation({
    summary: 'Hear the answer, while it is written',
    description:
      'Speaks the texts of its root agent sentence by sentence, from the beginning, and ends with the interaction. Code, thoughts and outputs of tools are not spoken.',
  })
  @ApiResponse({ status: 200, content: BYTES })
  @ApiResponse({ status: 204, description: 'It has ended, and there is nothing to speak.' })
  @ApiResponse({ status: 400 })
  @ApiResponse({ status: 404 })
  @ApiResponse({
    status: 503,
    description: 'The endpoint fails, or is not set, or there are too many streams.',
  })
  async speak(
    @Caller() caller: Principal,
    @Param() { chat_id, interaction_id }: InteractionIdDto,
    @Query() { voice, format }: SpeechQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    const row = await this.access.interaction(caller, chat_id, interaction_id);
    this.streams.admit(response);
    this.streams.join(response, row.id);
    const signal = this.credentials.signalOf(response);
    const request = {
      caller,
      ...(voice !== undefined && { voice }),
      ...(format && { format }),
    };
    await this.send(await this.speech.speak(row, request, signal), response, signal);
  }

  /** The head is sent with the first sound, or after a while, so that no client gives up. */
  private async send(
    { mime_type, chunks }: Speech,
    response: Response,
    signal: AbortSignal,
  ): Promise<void> {
    response.set({ 'Content-Type': mime_type, 'Cache-Control': 'no-store' });
    const timer = setTimeout(() => response.flushHeaders(), this.config.heartbeatMs);
    try {
      const spoken = chunks[Symbol.asyncIterator]();
      const first = await spoken.next();
      clearTimeout(timer);
      if (first.done && !response.headersSent) {
        response.removeHeader('Content-Type');
        return void response.status(204).end();
      }
      await pipeline(resumed(first, spoken), response, { signal });
    } catch (error) {
      if (!response.headersSent && !signal.aborted) throw error;
      response.destroy(); // so that the client notices
    } finally {
      clearTimeout(timer);
    }
  }
}

async function* resumed<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
