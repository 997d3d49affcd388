import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';

class LimitDto {
  @ApiPropertyOptional({ minimum: 1, maximum: 200, default: 50 })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(200)
  limit: number = 50;
}

export class ListChatsQueryDto extends LimitDto {
  @ApiPropertyOptional({ description: 'The `next_cursor` of the page before.' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  cursor?: string;
}

export class GetChatQueryDto extends LimitDto {
  @ApiPropertyOptional({
    enum: ['superseded'],
    description: 'Also interactions off the active branch.',
  })
  @IsOptional()
  @IsIn(['superseded'])
  include?: 'superseded';

  @ApiPropertyOptional({ description: 'Only interactions older than this one.' })
  @IsOptional()
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'before must be the id of an interaction' })
  before?: string;
}
