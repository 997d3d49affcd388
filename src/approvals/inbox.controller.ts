import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { Access } from '../auth/access.decorator.js';
import { RequestsQueryDto } from './dto/request.dto.js';
import { InboxService } from './inbox.service.js';
import { ApiAnswer } from '../http/openapi/answer.js';
import { requestList } from '../protocol/wire/request.js';
import type { RequestList } from '../protocol/wire/request.js';

@ApiTags('requests')
@Access('chat')
@Controller('requests')
export class InboxController {
  constructor(private readonly inbox: InboxService) {}

  @Get()
  @ApiOperation({
    summary: 'The inbox: approvals and questions of all chats and agents',
    description: 'Pending requests, oldest first; `status` selects settled or closed ones, or all.',
  })
  @ApiAnswer(200, requestList)
  @ApiResponse({ status: 400 })
  list(@Caller() caller: Principal, @Query() query: RequestsQueryDto): Promise<RequestList> {
    return this.inbox.list(caller, query);
  }
}
