import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
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
import { MaxJsonLength } from '../../http/input/max-json-length.js';
import type { RememberScope } from '../../permissions/judges/tool-judge.js';
import type { EarlierCall, Preview, Verdict } from '../approvals.service.js';
import type { Answer, ClientToolResult } from '../requests.service.js';

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
