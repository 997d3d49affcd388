import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { PageQueryDto } from '../../http/input/page-query.dto.js';
import { SCOPES } from '../permission-rule.js';
import type { RuleScope } from '../permission-rule.js';

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const MUST = { message: '$property must be 1 to 64 letters, digits, _ or -' };

export class ListRulesQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: SCOPES })
  @IsOptional()
  @IsIn(SCOPES)
  scope?: RuleScope;

  @ApiPropertyOptional({ description: 'A chat or an agent type.' })
  @IsOptional()
  @Matches(ID, MUST)
  scope_id?: string;
}

export class DeleteRulesQueryDto {
  @ApiProperty({ enum: SCOPES })
  @IsIn(SCOPES)
  scope: RuleScope;

  @ApiPropertyOptional({ description: 'A chat or an agent type; without, all of the scope.' })
  @IsOptional()
  @Matches(ID, MUST)
  scope_id?: string;
}

export class RuleIdDto {
  @ApiProperty({ example: 'rule_0199c0de-0000-7000-8000-000000000000' })
  @Matches(ID, MUST)
  id: string;
}
