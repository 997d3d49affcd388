import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../access/access.decorator.js';
import { MAX_PAGE_BYTES, parsePageCursor, toPage } from '../http/input/page-cursor.js';
import { ProblemDto } from '../http/errors/problem.dto.js';
import { RequestStore } from '../persistence/request.store.js';
import { RequestListDto, RequestsQueryDto } from './dto/requests-query.dto.js';
import { viewRequest } from './request-view.js';

/** All requests that wait for a person or a client, over all chats. */
@ApiTags('requests')
@Access('chat')
@Controller('requests')
export class InboxController {
  constructor(private readonly requests: RequestStore) {}

  @Get()
  @ApiOperation({
    summary: 'The inbox: approvals and questions of all chats and agents',
    description: 'Pending requests, oldest first; `status` selects settled or closed ones, or all.',
  })
  @ApiResponse({ status: 200, type: RequestListDto })
  @ApiResponse({ status: 400, type: ProblemDto })
  async list(
    @Query() { limit, cursor, status, ...scope }: RequestsQueryDto,
  ): Promise<RequestListDto> {
    const after = cursor === undefined ? undefined : parsePageCursor(cursor);
    const rows = await this.requests.listRequests({
      ...scope,
      ...(status !== 'all' && { status }),
      limit: limit + 1,
      bytes: MAX_PAGE_BYTES,
      ...(after && { after }),
    });
    const { items, next_cursor } = toPage(rows, limit);
    return { items: items.map(viewRequest), next_cursor };
  }
}
