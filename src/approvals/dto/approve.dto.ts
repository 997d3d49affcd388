import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsObject, IsOptional, IsString, MaxLength } from 'class-validator';
import { MaxJsonLength } from '../../http/input/max-json-length.js';
import { PermissionRuleDto } from '../../permissions/dto/permission-rule.dto.js';
import type { RememberScope } from '../../permissions/judges/tool-judge.js';

export class ApproveDto {
  @ApiProperty({ example: 'approval_0199c0de-0000-7000-8000-000000000000' })
  @IsString()
  @MaxLength(64)
  approval_id: string;

  @ApiProperty({ example: true })
  @IsBoolean()
  approved: boolean;

  @ApiPropertyOptional({ description: 'The model reads why a call was rejected.' })
  @IsOptional()
  @IsString()
  @MaxLength(10_000)
  reason?: string;

  @ApiPropertyOptional({
    type: Object,
    description:
      'Runs instead of what the model wrote: the whole input. Checked against the tool and the rules. Without effect on a rejection.',
  })
  @IsOptional()
  @IsObject()
  @MaxJsonLength(500_000)
  modified_input?: Record<string, unknown>;

  @ApiPropertyOptional({
    enum: ['session', 'agent', 'global'],
    description:
      'Decide calls like this one the same from now on, allowed or denied: in this chat, for this kind of agent, or everywhere.',
  })
  @IsOptional()
  @IsIn(['session', 'agent', 'global'])
  remember?: RememberScope;
}

export class ApprovedDto {
  @ApiProperty({ example: 'processed' })
  readonly status: string;

  @ApiProperty()
  readonly approval_id: string;

  @ApiProperty()
  readonly approved: boolean;

  @ApiPropertyOptional({
    type: PermissionRuleDto,
    nullable: true,
    description:
      'With `remember`: the rule that decides such calls from now on. null: the verdict counts, but the rule could not be added.',
  })
  readonly rule?: PermissionRuleDto | null;

  @ApiPropertyOptional({ description: 'Why there is no rule.' })
  readonly reason?: string;
}
