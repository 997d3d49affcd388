import { ApiPropertyOptional } from '@nestjs/swagger';
import { ProblemDto } from '../../http/errors/problem.dto.js';
import { QUOTAS } from '../quotas.js';
import type { Quota } from '../quotas.js';

export class QuotaExceededDto extends ProblemDto {
  @ApiPropertyOptional({
    enum: QUOTAS,
    description: 'With `/problems/quota_exceeded`: the quota of the tenant that is used up.',
  })
  readonly quota?: Quota;
}
