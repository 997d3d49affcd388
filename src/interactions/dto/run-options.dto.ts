import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { MaxJsonLength } from '../../http/input/max-json-length.js';
import type { ApprovalMode } from '../../persistence/rows/store-rows.js';
import { BudgetDto } from './budget.dto.js';
import { ClientToolDto } from './client-tool.dto.js';

/** How an interaction is run: what a start and an edit have in common. */
export class RunOptionsDto {
  @ApiPropertyOptional({
    description: "A kind of agent; the chat's unless given.",
    example: 'react',
  })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  agent?: string;

  @ApiPropertyOptional({
    description:
      "`<provider>/<name>`, or several separated by commas, of which the next is asked when one fails; the server's default unless given.",
    example: 'demo/script',
  })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  model?: string;

  @ApiPropertyOptional({
    description: 'Model turns the agent may take.',
    minimum: 1,
    maximum: 1000,
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(1000)
  max_iterations?: number;

  @ApiPropertyOptional({
    enum: ['cancel', 'continue'],
    description:
      'What happens when nobody reads the events any more: by default a streamed start is cancelled after a grace period, and one in the background continues.',
  })
  @IsOptional()
  @IsIn(['cancel', 'continue'])
  on_disconnect?: 'cancel' | 'continue';

  @ApiPropertyOptional({
    enum: ['ask', 'auto', 'deny', 'defer'],
    description:
      'What happens to calls that need an approval: a person is asked (default), they are allowed, denied, or asked about while the agent goes on. What a rule denies stays denied.',
  })
  @IsOptional()
  @IsIn(['ask', 'auto', 'deny', 'defer'])
  approval_mode?: ApprovalMode;

  @ApiPropertyOptional({
    type: [ClientToolDto],
    description: 'Tools that you run yourself: `tool_result_required` asks for each call.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(64)
  @ArrayUnique(({ name }: ClientToolDto) => name, { message: 'client_tools has a name twice' })
  @ValidateNested({ each: true })
  @Type(() => ClientToolDto)
  client_tools?: ClientToolDto[];

  @ApiPropertyOptional({
    type: BudgetDto,
    description:
      'What the interaction may use, with all its agents: `budget_exceeded` beyond that.',
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => BudgetDto)
  budget?: BudgetDto;

  @ApiPropertyOptional({
    type: Object,
    description: 'Anything of yours, kept with the interaction; at most 16,384 characters of JSON.',
    example: {},
  })
  @IsOptional()
  @IsObject()
  @MaxJsonLength(16_384)
  metadata?: Record<string, unknown>;
}
