import { Controller, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ProblemDto } from '../http/errors/problem.dto.js';
import { CancelService } from './cancel.service.js';
import { CancelDto, CancelQueryDto } from '../interactions/dto/cancel.dto.js';
import { AlreadyEndedDto } from '../interactions/dto/conflicts.dto.js';
import { InteractionIdDto } from '../http/input/ids.dto.js';

@ApiTags('interactions')
@Controller('chats/:chat_id/interactions')
export class CancelController {
  constructor(private readonly cancels: CancelService) {}

  @Post(':interaction_id/cancel')
  @HttpCode(202)
  @ApiOperation({ summary: 'Stop an interaction: model requests, tools, everything of it' })
  @ApiResponse({ status: 200, type: CancelDto, description: 'It has ended (`wait=true`).' })
  @ApiResponse({ status: 202, type: CancelDto, description: 'It is being stopped.' })
  @ApiResponse({ status: 404, type: ProblemDto })
  @ApiResponse({ status: 409, type: AlreadyEndedDto, description: 'It had ended already.' })
  async cancel(
    @Param() { chat_id, interaction_id }: InteractionIdDto,
    @Query() { wait }: CancelQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CancelDto> {
    await this.cancels.request(chat_id, interaction_id);
    const outcome = wait === 'true' ? await this.cancels.outcome(interaction_id) : undefined;
    if (!outcome)
      return { status: 'cancelling', interaction_id, message: 'The interaction is being stopped.' };
    response.status(200);
    return { ...outcome, interaction_id, message: 'The interaction has ended.' };
  }
}
