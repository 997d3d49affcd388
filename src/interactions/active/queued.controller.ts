import { Body, Controller, Get, Param, Patch } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../auth/access.decorator.js';
import { Caller } from '../../auth/caller.decorator.js';
import type { Principal } from '../../auth/principal.js';
import { ChatIdDto, InteractionIdDto } from '../../http/input/ids.dto.js';
import { ChangeQueuedDto } from './dto/queued.dto.js';
import { QueuedService } from './queued.service.js';
import { ApiAnswer } from '../../http/openapi/answer.js';
import { interaction } from '../../protocol/wire/interaction.js';
import type { Interaction } from '../../protocol/wire/interaction.js';
import { queue } from '../../protocol/wire/run.js';
import type { Queue } from '../../protocol/wire/run.js';
import { quotaExceeded } from '../../quotas/quota-exceeded.js';

@ApiTags('interactions')
@Access('chat')
@Controller('chats/:chat_id')
export class QueuedController {
  constructor(private readonly queued: QueuedService) {}

  @Get('queue')
  @ApiOperation({ summary: 'The queued interactions of a chat, in the order in which they run' })
  @ApiAnswer(200, queue)
  @ApiResponse({ status: 404 })
  list(@Caller() caller: Principal, @Param() { chat_id }: ChatIdDto): Promise<Queue> {
    return this.queued.list(caller, chat_id);
  }

  @Patch('interactions/:interaction_id')
  @ApiOperation({
    summary: 'Change the message or the place of a queued interaction',
    description:
      'It begins with the new message, or the answer is 409 `not_queued`: it has begun, has ended or is being cancelled. The message is redacted and checked as that of a start; only who has sent it, and admins, change it.',
  })
  @ApiAnswer(200, interaction)
  @ApiResponse({
    status: 400,
    description: '`before` is not another queued interaction of the chat, or as for a start.',
  })
  @ApiResponse({
    status: 403,
    description: 'The message is of another user (`not_owner`), or needs the scope `decide`.',
  })
  @ApiResponse({ status: 404 })
  @ApiResponse({ status: 409, description: 'It is not queued (`not_queued`).' })
  @ApiAnswer(429, quotaExceeded)
  change(
    @Caller() caller: Principal,
    @Param() { chat_id, interaction_id }: InteractionIdDto,
    @Body() body: ChangeQueuedDto,
  ): Promise<Interaction> {
    return this.queued.change(caller, { chat_id, interaction_id }, body);
  }
}
