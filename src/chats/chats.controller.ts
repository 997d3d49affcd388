import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { Access, AlsoNeeds } from '../auth/access.decorator.js';
import { DECIDING_MODES } from '../interactions/start/run-checks.js';
import { ChatIdDto } from '../http/input/ids.dto.js';
import { ChatDeletion } from './chat-deletion.js';
import { ChatsService } from './chats.service.js';
import { CreateChatDto } from './dto/create-chat.dto.js';
import { GetChatQueryDto, ListChatsQueryDto } from './dto/chat-queries.dto.js';
import { UpdateChatDto } from './dto/update-chat.dto.js';
import { ApiAnswer } from '../http/openapi/answer.js';
import { chat, chatList } from '../protocol/wire/chat.js';
import type { Chat, ChatList } from '../protocol/wire/chat.js';
import { quotaExceeded } from '../quotas/quota-exceeded.js';

/** True if agents would go on before a person has decided. */
function isDeciding({ body }: { readonly body?: Partial<UpdateChatDto> | null }): boolean {
  return DECIDING_MODES.includes(body?.settings?.approval_mode);
}

@ApiTags('chats')
@Access('chat')
@Controller('chats')
export class ChatsController {
  constructor(
    private readonly chats: ChatsService,
    private readonly deletion: ChatDeletion,
  ) {}

  @Post()
  @AlsoNeeds('decide', isDeciding)
  @ApiOperation({ summary: 'Create a chat' })
  @ApiAnswer(201, chat)
  @ApiResponse({ status: 400 })
  @ApiResponse({ status: 409, description: 'The id is taken.' })
  @ApiAnswer(429, quotaExceeded)
  create(@Caller() caller: Principal, @Body() body: CreateChatDto): Promise<Chat> {
    return this.chats.create(caller, body);
  }

  @Get()
  @ApiOperation({ summary: 'List chats, the last changed first' })
  @ApiAnswer(200, chatList)
  @ApiResponse({ status: 400 })
  list(@Caller() caller: Principal, @Query() query: ListChatsQueryDto): Promise<ChatList> {
    return this.chats.list(caller, query);
  }

  @Get(':chat_id')
  @ApiOperation({ summary: 'A chat with the newest interactions of its active branch' })
  @ApiAnswer(200, chat)
  @ApiResponse({ status: 404 })
  get(
    @Caller() caller: Principal,
    @Param() { chat_id }: ChatIdDto,
    @Query() query: GetChatQueryDto,
  ): Promise<Chat> {
    return this.chats.get(caller, chat_id, query);
  }

  @Patch(':chat_id')
  @AlsoNeeds('decide', isDeciding)
  @ApiOperation({
    summary: "Change a chat's title, visibility or metadata, or switch its active branch",
    description: '`head_interaction_id` activates the branch that ends with that interaction.',
  })
  @ApiAnswer(200, chat)
  @ApiResponse({ status: 400 })
  @ApiResponse({
    status: 403,
    description: 'Only its owner and admins change the visibility.',
  })
  @ApiResponse({ status: 404 })
  @ApiResponse({
    status: 409,
    description: 'An interaction runs or waits in the chat.',
  })
  @ApiAnswer(429, quotaExceeded)
  update(
    @Caller() caller: Principal,
    @Param() { chat_id }: ChatIdDto,
    @Body() body: UpdateChatDto,
  ): Promise<Chat> {
    return this.chats.update(caller, chat_id, body);
  }

  @Delete(':chat_id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete a chat, after its interactions were cancelled',
    description: 'Of a chat that the tenant sees: its owner, or with the scope `admin`.',
  })
  @ApiResponse({ status: 204 })
  @ApiResponse({ status: 403, description: 'It belongs to another user.' })
  @ApiResponse({ status: 404 })
  delete(@Caller() caller: Principal, @Param() { chat_id }: ChatIdDto): Promise<void> {
    return this.deletion.delete(caller, chat_id);
  }
}
