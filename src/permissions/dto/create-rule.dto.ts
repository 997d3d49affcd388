import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsObject, IsOptional, IsString, MaxLength, Min } from 'class-validator';
import { DECISIONS, SCOPES } from '../../protocol/wire/rule.js';
import type { Decision, RuleScope } from '../../protocol/wire/rule.js';

/** The shape of a new rule. The validity of the matcher is checked with the rule as a whole. */
export class CreateRuleDto {
  @ApiProperty({ enum: SCOPES, example: 'session' })
  @IsIn(SCOPES)
  scope: RuleScope;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'chat_123',
    description:
      'The chat of a session rule, the agent type of an agent rule, the user of a user rule (you, if left out); else left out.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(255)
  scope_id?: string | null;

  @ApiPropertyOptional({
    default: 0,
    description: 'Higher is looked at first; of equals, the older.',
  })
  @IsOptional()
  @IsInt()
  priority?: number;

  @ApiProperty({ enum: DECISIONS, example: 'ask' })
  @IsIn(DECISIONS)
  decision: Decision;

  @ApiProperty({
    type: Object,
    description: 'What it is about: type tool, category, command_prefix, regex, path or all.',
    example: { type: 'tool', pattern: 'python' },
  })
  @IsObject()
  matcher: Record<string, unknown>;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'Ask before it runs code.' })
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  description?: string | null;

  @ApiPropertyOptional({ type: String, format: 'date-time', nullable: true })
  @IsOptional()
  @IsString()
  expires_at?: string | null;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    minimum: 1,
    description: 'Executions that it may decide.',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  max_uses?: number | null;
}
