import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { PageQueryDto } from '../../http/input/page-query.dto.js';
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
