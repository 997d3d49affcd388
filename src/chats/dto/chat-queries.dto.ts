import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { PageQueryDto, LimitDto } from '../../http/input/page-query.dto.js';
import { CHAT_ORDERS } from '../../persistence/chat.store.js';
import type { ChatOrder } from '../../persistence/chat.store.js';

export class ListChatsQueryDto extends PageQueryDto {
  @ApiPropertyOptional({
    enum: CHAT_ORDERS,
    description:
      'By `updated_at` (default) or `created_at`, the newest first. A cursor is of one order. A chat that changes meanwhile moves to the beginning of the former.',
  })
  @IsOptional()
  @IsIn(CHAT_ORDERS)
  order?: ChatOrder;
}

export class GetChatQueryDto extends LimitDto {
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
      '`all`: the final state of every interaction that has ended, instead of that of the head only. A page has at most 2 MiB of states, so fewer interactions fit on it.',
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
