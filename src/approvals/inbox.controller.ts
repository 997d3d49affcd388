import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { formatPageCursor, parsePageCursor } from '../http/page-cursor.js';
import { ProblemDto } from '../http/problem.dto.js';
import { InteractionStore } from '../log/interaction-store.js';
import { RequestListDto, RequestsQueryDto } from './dto/requests-query.dto.js';
import { viewRequest } from './request-view.js';

/** Everything that waits for a person or a client, over all chats. */
@ApiTags('requests')
@Controller('requests')
export class InboxController {
  constructor(private readonly store: InteractionStore) {}

  @Get()
  @ApiOperation({ summary: 'The inbox: approvals and questions of all chats and agents' })
  @ApiResponse({ status: 200, type: RequestListDto })
  @ApiResponse({ status: 400, type: ProblemDto })
  async list(@Query() { limit, cursor, ...filter }: RequestsQueryDto): Promise<RequestListDto> {
    const after = cursor === undefined ? undefined : parsePageCursor(cursor);
    const rows = await this.store.listRequests({
      ...filter,
      limit: limit + 1,
      ...(after && { after }),
    });
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return { items: page.map(viewRequest), next_cursor: last ? formatPageCursor(last) : null };
  }
}
