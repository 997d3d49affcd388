import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { DecimalInt } from './decimal-int.js';
import { PAGE_LIMIT } from '../../kernel/page-cursor.js';

/** The size of a page. */
export class LimitDto {
  @ApiPropertyOptional({ minimum: 1, maximum: 200, default: PAGE_LIMIT })
  @IsOptional()
  @DecimalInt()
  @Min(1)
  @Max(200)
  limit: number = PAGE_LIMIT;
}

/** A page of a list. */
export class PageQueryDto extends LimitDto {
  @ApiPropertyOptional({ description: 'The `next_cursor` of the previous page.' })
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  cursor?: string;
}
