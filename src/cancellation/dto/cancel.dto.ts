import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';

export class CancelQueryDto {
  @ApiPropertyOptional({
    enum: ['true', 'false'],
    description:
      'true: answer when it has ended, with what was stopped; 202 if that takes longer than 30 s.',
  })
  @IsOptional()
  @IsIn(['true', 'false'])
  wait?: 'true' | 'false';
}
