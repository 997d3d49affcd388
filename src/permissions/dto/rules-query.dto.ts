import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { PageQueryDto } from '../../http/input/page-query.dto.js';
import { SCOPES } from '../../protocol/wire/rule.js';
import type { RuleScope } from '../../protocol/wire/rule.js';

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const MUST = { message: '$property must be 1 to 64 letters, digits, _ or -' };
const SCOPE_ID = /^[\x21-\x7e]{1,255}$/;
const MUST_NAME = { message: '$property must be 1 to 255 printable ASCII characters' };

export class ListRulesQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: SCOPES })
  @IsOptional()
  @IsIn(SCOPES)
  scope?: RuleScope;

  @ApiPropertyOptional({ description: 'A chat, an agent type or a user.' })
  @IsOptional()
  @Matches(SCOPE_ID, MUST_NAME)
  scope_id?: string;
}

export class DeleteRulesQueryDto {
  @ApiProperty({ enum: SCOPES })
  @IsIn(SCOPES)
  scope: RuleScope;

  @ApiPropertyOptional({
    description: 'A chat, an agent type or a user; without, all of the scope that you see.',
  })
  @IsOptional()
  @Matches(SCOPE_ID, MUST_NAME)
  scope_id?: string;
}

export class RuleIdDto {
  @ApiProperty({ example: 'rule_0199c0de-0000-7000-8000-000000000000' })
  @Matches(ID, MUST)
  id: string;
}
