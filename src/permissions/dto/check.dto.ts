import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsNotEmpty, IsObject, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { DECISIONS } from '../rules/permission-rule.js';
import type { Decision } from '../rules/permission-rule.js';
import type { TraceEntry } from '../policy/verdict.js';
import { PermissionRuleDto } from './permission-rule.dto.js';

export class CheckDto {
  @ApiProperty({ example: 'bash' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  tool_name: string;

  @ApiProperty({ type: Object, example: { command: 'git log; rm -rf x' } })
  @IsObject()
  tool_input: Record<string, unknown>;

  @ApiPropertyOptional({ description: 'Its session rules apply, too.' })
  @IsOptional()
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'chat_id must be 1 to 64 letters, digits, _ or -' })
  chat_id?: string;

  @ApiPropertyOptional({ description: 'A type whose agent rules apply, too.', example: 'react' })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  agent?: string;
}

class TraceEntryDto implements TraceEntry {
  @ApiProperty({ description: 'The id of a rule, or `default`.' })
  readonly rule: string;

  @ApiProperty({ description: "The rule's scope, or `default`." })
  readonly level: string;

  @ApiProperty({
    oneOf: [{ type: 'boolean' }, { type: 'string', enum: ['maybe'] }],
    description: '`maybe`: can’t be ruled out.',
  })
  readonly matched: boolean | 'maybe';

  @ApiProperty({ enum: DECISIONS, description: 'What it decides where it matches.' })
  readonly decision: Decision;

  @ApiProperty()
  readonly why: string;

  @ApiPropertyOptional({ description: 'The part of a command that it was asked about.' })
  readonly command?: string;
}

export class VerdictDto {
  @ApiProperty({ enum: DECISIONS })
  readonly decision: Decision;

  @ApiProperty({
    type: PermissionRuleDto,
    nullable: true,
    description: 'The rule that decided; null for a built-in default.',
  })
  readonly rule: PermissionRuleDto | null;

  @ApiProperty({
    example: 'Asks about `rm -rf x`: no rule covers it, and bash executes commands.',
  })
  readonly reason: string;

  @ApiProperty({ type: [TraceEntryDto], description: 'What was considered, in order.' })
  readonly trace: readonly TraceEntryDto[];
}
