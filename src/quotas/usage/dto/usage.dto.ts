import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches, Max, Min } from 'class-validator';
import { DecimalInt } from '../../../http/input/decimal-int.js';
import { NamesTenants } from '../../../auth/tenant-id.decorator.js';
import { USAGE_KEYS } from '../../usage-store.js';
import type { UsageKey } from '../../usage-store.js';
import type { ReportQuery } from '../usage-report.js';

const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_RULE = { message: '$property must be a day, such as 2026-01-15' };
const MAX_SUMS = 1000;

export class UsageQueryDto implements ReportQuery {
  @ApiPropertyOptional({ enum: USAGE_KEYS, default: 'day' })
  @IsOptional()
  @IsIn(USAGE_KEYS)
  by: UsageKey = 'day';

  @ApiPropertyOptional({
    format: 'date',
    description: 'The first day, in UTC; 30 days up to `until` unless given.',
  })
  @IsOptional()
  @Matches(DAY, DAY_RULE)
  since?: string;

  @ApiPropertyOptional({ format: 'date', description: 'The last day, in UTC; today unless given.' })
  @IsOptional()
  @Matches(DAY, DAY_RULE)
  until?: string;

  @NamesTenants()
  tenant_id?: string;

  @ApiPropertyOptional({ minimum: 1, maximum: MAX_SUMS, default: MAX_SUMS })
  @IsOptional()
  @DecimalInt()
  @Min(1)
  @Max(MAX_SUMS)
  limit: number = MAX_SUMS;
}
