import { Controller, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { Access } from '../access/access.decorator.js';
import { ProblemDto } from '../http/errors/problem.dto.js';
import { InteractionIdDto } from '../http/input/ids.dto.js';
import { CancellationService } from './cancellation.service.js';
import { AlreadyEndedDto, CancelDto, CancelQueryDto } from './dto/cancel.dto.js';

@ApiTags('interactions')
@Access('chat')
@Controller('chats/:chat_id/interactions')
export class CancellationController {
  constructor(private readonly cancellation: CancellationService) {}

  @Post(':interaction_id/cancel')
  @Access('chat', 'operate')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Stop an interaction: model requests, tools, everything of it',
    description: 'With the scope `operate` also one of a chat of the tenant that you do not see.',
  })
  @ApiResponse({ status: 200, type: CancelDto, description: 'It has ended (`wait=true`).' })
  @ApiResponse({ status: 202, type: CancelDto, description: 'It is being stopped.' })
  @ApiResponse({ status: 404, type: ProblemDto })
  @ApiResponse({ status: 409, type: AlreadyEndedDto, description: 'It had ended already.' })
  async cancel(
    @Caller() caller: Principal,
    @Param() { chat_id, interaction_id }: InteractionIdDto,
    @Query() { wait }: CancelQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CancelDto> {
    const row = await this.cancellation.requestByUser(caller, chat_id, interaction_id);
    const outcome = wait === 'true' ? await this.cancellation.outcome(caller, row) : undefined;
    if (!outcome)
      return { status: 'cancelling', interaction_id, message: 'The interaction is being stopped.' };
    response.status(200);
    return { ...outcome, interaction_id, message: 'The interaction has ended.' };
  }
}
