import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ProblemDto } from '../../http/errors/problem.dto.js';
import { SettledDto } from './settled.dto.js';

class FirstDecisionDto extends SettledDto {
  @ApiProperty({ format: 'date-time' })
  readonly at: string;

  @ApiPropertyOptional({ description: 'Of an approval.' })
  readonly approved?: boolean;
}

/** A request that can't be settled. */
export class NotSettledDto extends ProblemDto {
  @ApiPropertyOptional({
    type: FirstDecisionDto,
    description: 'With `/problems/already_processed`: the decision that counts, if there is one.',
  })
  readonly decision?: FirstDecisionDto;
}
