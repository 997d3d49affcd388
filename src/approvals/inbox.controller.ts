import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ChatAccess } from '../access/chat-access.js';
import { viewerOf } from '../access/viewer-of.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { Access } from '../access/access.decorator.js';
import { MAX_PAGE_BYTES, parsePageCursor, toPage } from '../http/input/page-cursor.js';
import { ProblemDto } from '../http/errors/problem.dto.js';
import { RequestStore } from '../persistence/request.store.js';
import { RequestListDto, RequestsQueryDto } from './dto/request.dto.js';
import { viewRequest } from './request-view.js';

/** All requests that wait for a person or a client, over all chats that the caller sees. */
@ApiTags('requests')
@Access('chat')
@Controller('requests')
export class InboxController {
  constructor(
    private readonly requests: RequestStore,
    private readonly access: ChatAccess,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'The inbox: approvals and questions of all chats and agents',
    description: 'Pending requests, oldest first; `status` selects settled or closed ones, or all.',
  })
  @ApiResponse({ status: 200, type: RequestListDto })
  @ApiResponse({ status: 400, type: ProblemDto })
  async list(
    @Caller() caller: Principal,
    @Query() { limit, cursor, status, chat_id, interaction_id }: RequestsQueryDto,
  ): Promise<RequestListDto> {
    const after = cursor === undefined ? undefined : parsePageCursor(cursor);
    const chat = chat_id === undefined ? undefined : await this.access.findChat(caller, chat_id);
    if (chat_id !== undefined && !chat) return { items: [], next_cursor: null };
    const rows = await this.requests.listRequests({
      viewer: viewerOf(caller),
      ...(chat && { chat_uid: chat.uid }),
      ...(interaction_id !== undefined && { interaction_id }),
      ...(status !== 'all' && { status }),
      limit: limit + 1,
      bytes: MAX_PAGE_BYTES,
      readable_only: true,
      ...(after && { after }),
    });
    const { items, next_cursor } = toPage(rows, limit);
    return { items: items.map(viewRequest), next_cursor };
  }
}
