import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { PageQueryDto } from '../../http/input/page-query.dto.js';
import type { RequestStatus } from '../../protocol/wire/request.js';

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const RULE = { message: '$property must be 1 to 64 letters, digits, _ or -' };

const STATUSES = ['pending', 'settled', 'closed', 'all'] as const;

export class RequestsQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: STATUSES, default: 'pending' })
  @IsOptional()
  @IsIn(STATUSES)
  status: RequestStatus | 'all' = 'pending';

  @ApiPropertyOptional()
  @IsOptional()
  @Matches(ID, RULE)
  chat_id?: string;

  @ApiPropertyOptional()
  @IsOptional()
  @Matches(ID, RULE)
  interaction_id?: string;
}
