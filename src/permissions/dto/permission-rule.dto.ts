import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { DECISIONS, SCOPES } from '../rules/permission-rule.js';
import type { Decision, Matcher, PermissionRule, RuleScope } from '../rules/permission-rule.js';

/** Describes a rule in the OpenAPI document. */
export class PermissionRuleDto implements PermissionRule {
  @ApiProperty({ example: 'rule_0199c0de-0000-7000-8000-000000000000' })
  readonly id: string;

  @ApiProperty({ enum: SCOPES })
  readonly scope: RuleScope;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The chat of a session rule, the agent type of an agent rule, the user of a user rule (of a file: all users).',
  })
  readonly scope_id: string | null;

  @ApiProperty({ description: 'Higher is looked at first; of equals, the older.' })
  readonly priority: number;

  @ApiProperty({ enum: DECISIONS })
  readonly decision: Decision;

  @ApiProperty({ type: Object, example: { type: 'command_prefix', prefixes: ['git log'] } })
  readonly matcher: Matcher;

  @ApiProperty({ type: String, nullable: true })
  readonly description: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly expires_at: string | null;

  @ApiProperty({ type: Number, nullable: true, description: 'Executions that it may decide.' })
  readonly max_uses: number | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'null for a rule of the file.',
  })
  readonly created_at: string | null;

  @ApiProperty({ description: 'Executions that it decided, where max_uses is set.' })
  readonly uses: number;
}

export class CreatedRuleDto extends PermissionRuleDto {
  @ApiPropertyOptional({
    description: 'What may be a mistake: the server has no tool of the name that the rule is for.',
    example: 'There is no tool "calculater". Did you mean calculator?',
  })
  readonly hint?: string;
}

export class PermissionRuleListDto {
  @ApiProperty({
    type: [PermissionRuleDto],
    description: 'In the order in which they are looked at.',
  })
  readonly items: readonly PermissionRuleDto[];

  @ApiProperty({ type: String, nullable: true, description: 'null on the last page.' })
  readonly next_cursor: string | null;
}

export class DeletedRulesDto {
  @ApiProperty({ description: 'How many rules went.' })
  readonly deleted: number;
}
