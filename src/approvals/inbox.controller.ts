import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { Access } from '../auth/access.decorator.js';
import { ProblemDto } from '../http/errors/problem.dto.js';
import { RequestListDto, RequestsQueryDto } from './dto/request.dto.js';
import { InboxService } from './inbox.service.js';

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
  @ApiResponse({ status: 200, type: RequestListDto })
  @ApiResponse({ status: 400, type: ProblemDto })
  list(@Caller() caller: Principal, @Query() query: RequestsQueryDto): Promise<RequestListDto> {
    return this.inbox.list(caller, query);
  }
}
