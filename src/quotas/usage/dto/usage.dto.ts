import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { NamesTenants } from '../../../auth/tenant-id.decorator.js';
import type { Usage } from '../../../protocol/interaction.js';
import { USAGE_KEYS } from '../../usage-store.js';
import type { UsageKey } from '../../usage-store.js';
import type { Report, ReportQuery, ReportedSum } from '../usage-report.js';

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
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(MAX_SUMS)
  limit: number = MAX_SUMS;
}

export class UsageSumDto implements ReportedSum {
  @ApiProperty({ example: 'default' })
  readonly tenant_id: string;

  @ApiPropertyOptional({ format: 'date', example: '2026-01-15', description: 'In UTC.' })
  readonly day?: string;

  @ApiPropertyOptional({
    example: 'openai/gpt-5-mini',
    description:
      'Of the turns. An interaction without any counts at the one that it was started with.',
  })
  readonly model?: string;

  @ApiPropertyOptional({ example: 'ann', description: 'Who started the interactions.' })
  readonly user_id?: string;

  @ApiProperty({
    description:
      'Those that were started; by model, those in which it had a turn: one with several counts at each.',
  })
  readonly interactions: number;

  @ApiProperty({ type: Object, allOf: [{ $ref: '#/components/schemas/Usage' }] })
  readonly usage: Usage;

  @ApiProperty({
    description: 'Input and output of turns whose price was not known: no `cost_usd` has them.',
  })
  readonly unpriced_tokens: number;
}

export class UsageSumsDto implements Report {
  @ApiProperty({ format: 'date' })
  readonly since: string;

  @ApiProperty({ format: 'date' })
  readonly until: string;

  @ApiProperty({
    type: [UsageSumDto],
    description: 'The latest days first, then what cost most, then what has most tokens.',
  })
  readonly items: readonly UsageSumDto[];

  @ApiProperty({ description: 'There are more than `limit`.' })
  readonly has_more: boolean;
}
