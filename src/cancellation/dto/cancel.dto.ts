import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { ProblemDto } from '../../http/errors/problem.dto.js';
import type { StoppedEffect } from '../../protocol/events.js';

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

export class CancelDto {
  @ApiProperty({ example: 'cancelling', description: '`cancelling`, or how it ended.' })
  readonly status: string;

  @ApiProperty()
  readonly interaction_id: string;

  @ApiProperty()
  readonly message: string;

  @ApiPropertyOptional({
    type: [Object],
    description: 'What was stopped; only when it was waited for.',
  })
  readonly stopped?: readonly StoppedEffect[];
}

export class AlreadyEndedDto extends ProblemDto {
  @ApiProperty({ enum: ['COMPLETED', 'FAILED', 'CANCELLED'], description: 'How it had ended.' })
  readonly interaction_status: string;
}
