import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ChatAccess } from '../access/chat-access.js';
import { Access } from '../auth/access.decorator.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { ChatIdDto } from '../http/input/ids.dto.js';
import { AdmissionGate } from '../streams/admission-gate.js';
import { EventStreams } from '../streams/event-streams.js';
import { RealtimeSockets } from './realtime-sockets.js';

@Access('chat')
@Controller('chats/:chat_id/realtime')
export class RealtimeController {
  constructor(
    private readonly access: ChatAccess,
    private readonly gate: AdmissionGate,
    private readonly streams: EventStreams,
    private readonly sockets: RealtimeSockets,
  ) {}

  /** A WebSocket: docs/audio.md describes it, as OpenAPI can't. It counts as an event stream. */
  @Get()
  @ApiExcludeEndpoint()
  async open(
    @Caller() caller: Principal,
    @Param() { chat_id }: ChatIdDto,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const chat = await this.access.chat(caller, chat_id);
    this.gate.requireOpen();
    this.streams.admit(response);
    this.streams.join(response, chat.uid, `The chat ${chat.id}`);
    this.sockets.accept({ caller, chat, request, response });
  }
}
