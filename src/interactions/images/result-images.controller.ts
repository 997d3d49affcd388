import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ChatAccess } from '../../access/chat-access.js';
import { Access } from '../../auth/access.decorator.js';
import { Caller } from '../../auth/caller.decorator.js';
import type { Principal } from '../../auth/principal.js';
import type { ByteRange } from '../../files/file-store.js';
import { ApiSentFile } from '../../files/download/api-sent-file.js';
import { sendFile } from '../../files/download/send-file.js';
import { ResultImageDto } from '../dto/result-image.dto.js';
import { ResultImages } from './result-images.js';

@ApiTags('interactions')
@Access('chat')
@Controller('chats/:chat_id/interactions')
export class ResultImagesController {
  constructor(
    private readonly access: ChatAccess,
    private readonly images: ResultImages,
  ) {}

  @Get(':interaction_id/records/:seq/images/:index')
  @ApiOperation({
    summary: 'An image that a tool has shown',
    description: 'As the model got it: PNG, JPEG, GIF or WebP, of at most 1 MiB.',
  })
  @ApiSentFile('image/*')
  async get(
    @Caller() caller: Principal,
    @Param() { chat_id, interaction_id, ...place }: ResultImageDto,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const row = await this.access.interaction(caller, chat_id, interaction_id);
    const { media_type: mime_type, bytes } = await this.images.get(row, place);
    const file = {
      filename: `${place.seq}-${place.index}.${mime_type.replace('image/', '')}`,
      mime_type,
      size_bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    };
    const open = (range?: ByteRange) =>
      Promise.resolve(Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes]));
    await sendFile({ request, response }, file, open);
  }
}
