import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, Equals, IsIn, IsOptional, Matches } from 'class-validator';
import { ValidateIf } from 'class-validator';
import { PageQueryDto } from '../../../http/input/page-query.dto.js';
import { NamesTenants } from '../../../auth/tenant-id.decorator.js';
import type { ActiveStatus } from '../../../protocol/interaction.js';
import type { CancelRuns, ListRuns } from '../run-list.js';
import { RUN_STATUSES } from '../../../protocol/wire/run.js';

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
