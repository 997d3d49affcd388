import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Length, Matches, ValidateIf } from 'class-validator';
import { PageQueryDto, LimitDto } from '../../http/input/page-query.dto.js';
import { CHAT_ORDERS } from '../../persistence/chat.store.js';
import type { ChatOrder } from '../../persistence/chat.store.js';
import type { ListChats, ReadChat } from '../chat-request.js';

export class ListChatsQueryDto extends PageQueryDto implements ListChats {
  @ApiPropertyOptional({
    enum: CHAT_ORDERS,
    description:
      'By `updated_at` (default) or `created_at`, the newest first. A cursor is of one order. A chat that changes meanwhile moves to the beginning of the former.',
  })
  @IsOptional()
  @IsIn(CHAT_ORDERS)
  order?: ChatOrder;

  @ApiPropertyOptional({
    minLength: 1,
    maxLength: 200,
    description:
      'Only chats whose title or preview contains this, in any case, among the newest 2,000 that you see. A cursor is of one `q`.',
  })
  @ValidateIf((_, value) => value !== undefined)
  @IsString()
  @Length(1, 200)
  q?: string;
}

export class GetChatQueryDto extends LimitDto implements ReadChat {
  @ApiPropertyOptional({
    enum: ['superseded'],
    description: 'Also interactions off the active branch.',
  })
  @IsOptional()
  @IsIn(['superseded'])
  include?: 'superseded';

  @ApiPropertyOptional({
    enum: ['all'],
    description:
      'A page has at most 2 MiB of final states, from its newest interaction back; the others are cut. `all`: none is cut for that, and fewer interactions fit on a page.',
  })
  @IsOptional()
  @IsIn(['all'])
  state?: 'all';

  @ApiPropertyOptional({
    description: 'Only interactions before this one: the `next_before` of the previous page.',
  })
  @IsOptional()
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'before must be the id of an interaction' })
  before?: string;
}
