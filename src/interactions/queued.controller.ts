import { Body, Controller, Get, Param, Patch } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../auth/access.decorator.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { ProblemDto } from '../http/errors/problem.dto.js';
import { ChatIdDto, InteractionIdDto } from '../http/input/ids.dto.js';
import { QuotaExceededDto } from '../quotas/dto/quota-exceeded.dto.js';
import { InteractionDto } from './dto/interaction.dto.js';
import { ChangeQueuedDto, QueueDto } from './dto/queued.dto.js';
import { QueuedService } from './queued.service.js';

@ApiTags('interactions')
@Access('chat')
@Controller('chats/:chat_id')
export class QueuedController {
  constructor(private readonly queued: QueuedService) {}

  @Get('queue')
  @ApiOperation({ summary: 'The queued interactions of a chat, in the order in which they run' })
  @ApiResponse({ status: 200, type: QueueDto })
  @ApiResponse({ status: 404, type: ProblemDto })
  list(@Caller() caller: Principal, @Param() { chat_id }: ChatIdDto): Promise<QueueDto> {
    return this.queued.list(caller, chat_id);
  }

  @Patch('interactions/:interaction_id')
  @ApiOperation({
    summary: 'Change the message or the place of a queued interaction',
    description:
      'It begins with the new message, or the answer is 409 `not_queued`: it has begun, has ended or is being cancelled. The message is redacted and checked as that of a start; only who has sent it, and admins, change it.',
  })
  @ApiResponse({ status: 200, type: InteractionDto })
  @ApiResponse({
    status: 400,
    type: ProblemDto,
    description: '`before` is not another queued interaction of the chat, or as for a start.',
  })
  @ApiResponse({
    status: 403,
    type: ProblemDto,
    description: 'The message is of another user (`not_owner`), or needs the scope `decide`.',
  })
  @ApiResponse({ status: 404, type: ProblemDto })
  @ApiResponse({ status: 409, type: ProblemDto, description: 'It is not queued (`not_queued`).' })
  @ApiResponse({ status: 429, type: QuotaExceededDto })
  change(
    @Caller() caller: Principal,
    @Param() { chat_id, interaction_id }: InteractionIdDto,
    @Body() body: ChangeQueuedDto,
  ): Promise<InteractionDto> {
    return this.queued.change(caller, { chat_id, interaction_id }, body);
  }
}
