import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsOptional, IsString, MaxLength, ValidateIf } from 'class-validator';

export class RespondDto {
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

export class ToolResultDto {
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
