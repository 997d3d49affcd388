import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, Equals, IsIn, IsOptional, Matches } from 'class-validator';
import { ValidateIf } from 'class-validator';
import { PageQueryDto } from '../../http/input/page-query.dto.js';
import { NamesTenants } from '../../auth/tenant-id.decorator.js';
import { INTERACTION_STATUSES } from '../../protocol/interaction.js';
import type { ActiveStatus, InteractionStatus, Usage } from '../../protocol/interaction.js';
import { CANCEL_OUTCOMES, RUN_STATUSES } from '../run-list.js';
import type { CancelRuns, CancelledRun, CancelledRuns, ListRuns, ListedRun } from '../run-list.js';

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const RULE = { message: '$property must be 1 to 64 letters, digits, _ or -' };
const IDS_RULE = { each: true, message: 'each must be 1 to 64 letters, digits, _ or -' };

const MAX_IDS = 1_000;

export class RunsQueryDto extends PageQueryDto implements ListRuns {
  @ApiPropertyOptional({ enum: RUN_STATUSES, description: 'All of them unless given.' })
  @IsOptional()
  @IsIn(RUN_STATUSES)
  status?: 'QUEUED' | ActiveStatus;

  @ApiPropertyOptional({ description: 'Not together with `tenant_id=*`.' })
  @IsOptional()
  @Matches(ID, RULE)
  chat_id?: string;

  @NamesTenants()
  tenant_id?: string;
}

/** An interaction as operators see it: without anything that was said. */
export class RunDto implements ListedRun {
  @ApiProperty()
  readonly id: string;

  @ApiProperty({ example: 'default' })
  readonly tenant_id: string;

  @ApiProperty()
  readonly chat_id: string;

  @ApiProperty({ enum: RUN_STATUSES })
  readonly status: InteractionStatus;

  @ApiProperty({ example: 'react' })
  readonly agent: string;

  @ApiProperty({ description: 'Its root agent.' })
  readonly agent_id: string;

  @ApiProperty()
  readonly model: string;

  @ApiProperty({ example: 'ann', description: 'The user who started it.' })
  readonly started_by: string;

  @ApiProperty({ description: 'A cancel was requested, and it has not ended yet.' })
  readonly is_cancelling: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'agent:reviewer',
    description:
      'What the server lacks, if it is parked until that is there again: `agent:<name>`, `model:<name>`, `tool:<name>`, or `folder`, the one of its chat.',
  })
  readonly waits_for: string | null;

  @ApiProperty({
    type: Object,
    allOf: [{ $ref: '#/components/schemas/Usage' }],
    description: 'So far.',
  })
  readonly usage: Usage;

  @ApiProperty()
  readonly last_seq: number;

  @ApiProperty({ format: 'date-time' })
  readonly created_at: string;
}

export class RunListDto {
  @ApiProperty({ type: [RunDto], description: 'Oldest first.' })
  readonly items: readonly RunDto[];

  @ApiProperty({ type: String, nullable: true, description: 'null on the last page.' })
  readonly next_cursor: string | null;
}

/** Either of them. */
export class CancelRunsDto implements CancelRuns {
  @ApiPropertyOptional({
    type: [String],
    minItems: 1,
    maxItems: MAX_IDS,
    example: ['int_0199c0de-0000-7000-8000-000000000000'],
  })
  @ValidateIf(({ all }: CancelRunsDto, ids) => ids !== undefined || all === undefined)
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_IDS)
  @Matches(ID, IDS_RULE)
  interaction_ids?: string[];

  @ApiPropertyOptional({
    enum: [true],
    description: 'All that run, wait or are queued in the tenant.',
  })
  @ValidateIf((_, all) => all !== undefined)
  @Equals(true)
  all?: true;

  @NamesTenants()
  tenant_id?: string;
}

export class CancelledRunDto implements CancelledRun {
  @ApiProperty()
  readonly interaction_id: string;

  @ApiPropertyOptional({ example: 'default', description: 'Unless it was not found.' })
  readonly tenant_id?: string;

  @ApiProperty({ enum: CANCEL_OUTCOMES, description: '`cancelling`: it is being stopped.' })
  readonly outcome: (typeof CANCEL_OUTCOMES)[number];

  @ApiProperty({
    enum: INTERACTION_STATUSES,
    nullable: true,
    description: 'At that time; null: not found.',
  })
  readonly status: InteractionStatus | null;
}

export class CancelledRunsDto implements CancelledRuns {
  @ApiProperty({ type: [CancelledRunDto], description: 'In the order of the request.' })
  readonly items: readonly CancelledRunDto[];

  @ApiProperty({ description: '`all` was too many for one request: send it again.' })
  readonly has_more: boolean;
}
