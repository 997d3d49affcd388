import { ApiProperty, ApiPropertyOptional, OmitType, PickType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  MaxLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { ProblemDto } from '../../http/errors/problem.dto.js';
import { MaxJsonLength } from '../../http/input/max-json-length.js';
import { PermissionRuleDto } from '../../permissions/dto/permission-rule.dto.js';
import type { RememberScope } from '../../permissions/judges/tool-judge.js';
import type { EarlierCall, Preview, Verdict } from '../approvals.service.js';
import type { Answer, ClientToolResult } from '../requests.service.js';
import { SettledDto } from './request.dto.js';

export class ApproveDto implements Verdict {
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

class EarlierCallDto implements EarlierCall {
  @ApiProperty({ example: 'bash' })
  @IsString()
  @MaxLength(200)
  tool_name: string;

  @ApiProperty({ description: 'JSON text, as its `tool_call` has it.', example: '{}' })
  @IsString()
  @MaxLength(20_000)
  tool_input: string;
}

export class PreviewRuleDto
  extends PickType(ApproveDto, ['approval_id', 'approved', 'modified_input'])
  implements Preview
{
  @ApiProperty({ enum: ['session', 'agent', 'global'], example: 'session' })
  @IsIn(['session', 'agent', 'global'])
  remember: RememberScope;

  @ApiPropertyOptional({
    type: [EarlierCallDto],
    maxItems: 100,
    description: 'Calls to try the rule on, for example the earlier ones of the chat.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100)
  @ValidateNested({ each: true })
  @Type(() => EarlierCallDto)
  calls?: EarlierCallDto[];
}

class NewRuleDto extends OmitType(PermissionRuleDto, ['id', 'created_at', 'uses']) {}

export class RulePreviewDto {
  @ApiProperty({
    type: NewRuleDto,
    nullable: true,
    description: 'What the verdict would add; null: no rule of that scope would decide such calls.',
  })
  readonly rule: NewRuleDto | null;

  @ApiProperty({
    type: [Number],
    description: 'Which of `calls` the rule would decide, counted from 0.',
  })
  readonly decides: readonly number[];
}

export class RespondDto implements Answer {
  @ApiProperty({ example: 'input_0199c0de-0000-7000-8000-000000000000' })
  @IsString()
  @MaxLength(64)
  request_id: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Bonn',
    description: 'null declines to answer.',
  })
  @ValidateIf(({ answer }: RespondDto) => answer !== null)
  @IsString()
  @MaxLength(100_000)
  answer: string | null;
}

export class RespondedDto {
  @ApiProperty({ example: 'processed' })
  readonly status: string;

  @ApiProperty()
  readonly request_id: string;
}

export class ToolResultDto implements ClientToolResult {
  @ApiProperty({ example: 'call_2', description: 'Of the `tool_result_required` event.' })
  @IsString()
  @MaxLength(64)
  tool_call_id: string;

  @ApiProperty({ example: 'The door is open.', description: 'What the model reads.' })
  @IsString()
  @MaxLength(500_000)
  tool_output: string;

  @ApiPropertyOptional({ default: false })
  @IsOptional()
  @IsBoolean()
  is_error?: boolean;
}

export class ToolResultTakenDto {
  @ApiProperty({ example: 'processed' })
  readonly status: string;

  @ApiProperty()
  readonly tool_call_id: string;
}

class FirstDecisionDto extends SettledDto {
  @ApiProperty({ format: 'date-time' })
  readonly at: string;

  @ApiPropertyOptional({ description: 'Of an approval.' })
  readonly approved?: boolean;
}

/** A request that can't be settled. */
export class NotSettledDto extends ProblemDto {
  @ApiPropertyOptional({
    type: FirstDecisionDto,
    description: 'With `/problems/already_processed`: the decision that counts, if there is one.',
  })
  readonly decision?: FirstDecisionDto;
}
