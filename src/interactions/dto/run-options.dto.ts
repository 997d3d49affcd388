import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsPositive,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { MaxJsonLength } from '../../http/input/max-json-length.js';
import type { ClientTool } from '../../persistence/rows/interaction-row.js';
import { APPROVAL_MODES } from '../../protocol/chat-settings.js';
import type { ApprovalMode } from '../../protocol/chat-settings.js';
import type { Budget } from '../../protocol/budget.js';
import type { RunOptions } from '../start/start-request.js';
import { MAX_OUTPUT_TOKENS, MAX_TEMPERATURE } from '../../protocol/sampling.js';
import {
  MAX_THINKING_BUDGET,
  MIN_THINKING_BUDGET,
  THINKING_EFFORTS,
} from '../../protocol/thinking.js';
import type { Thinking } from '../../protocol/thinking.js';
import { IsThinking } from './is-thinking.js';

const MAX = 1_000_000_000_000;
const MAX_FILES = 20;

/** Limits of an interaction with all its agents, besides the server's own. */
export class BudgetDto implements Budget {
  @ApiPropertyOptional({ description: 'Of input and output together.', minimum: 1, maximum: MAX })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX)
  tokens?: number;

  @ApiPropertyOptional({ minimum: 0, maximum: 1_000_000 })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(1_000_000)
  tool_calls?: number;

  @ApiPropertyOptional({
    description: 'Milliseconds of work: waiting for people does not count.',
    minimum: 1,
    maximum: MAX,
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX)
  wall_time_ms?: number;

  @ApiPropertyOptional({
    description:
      "US dollars; the server has to know the model's price (MODEL_PRICES, PRICES_FILE).",
    maximum: 1_000_000,
  })
  @IsOptional()
  @IsNumber()
  @IsPositive()
  @Max(1_000_000)
  cost_usd?: number;
}

/** A tool that the caller runs itself. */
export class ClientToolDto implements ClientTool {
  @ApiProperty({ example: 'open_door' })
  @Matches(/^[a-zA-Z0-9_-]{1,64}$/, { message: 'name must be 1 to 64 letters, digits, _ or -' })
  name: string;

  @ApiProperty({ description: 'For the model: what it does, when to use it.' })
  @IsString()
  @MaxLength(4000)
  description: string;

  @ApiProperty({ type: Object, description: 'JSON Schema of an object.' })
  @IsObject()
  @MaxJsonLength(32_768)
  input_schema: Record<string, unknown>;
}

/** Options of a run: common to a start and an edit. */
export class RunOptionsDto implements RunOptions {
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
    oneOf: [
      { type: 'string', enum: [...THINKING_EFFORTS] },
      {
        type: 'object',
        required: ['budget_tokens'],
        additionalProperties: false,
        properties: {
          budget_tokens: {
            type: 'integer',
            minimum: MIN_THINKING_BUDGET,
            maximum: MAX_THINKING_BUDGET,
          },
        },
      },
    ],
    description:
      'How much models think before they answer: an effort, or an exact budget of tokens for models that take one; others get the effort within it. MODEL_THINKING unless given.',
    example: { budget_tokens: 4_096 },
  })
  @IsOptional()
  @IsThinking()
  thinking?: Thinking;

  @ApiPropertyOptional({
    description:
      'Passed to the model; one that refuses it is asked without it, and a `notice` says so.',
    minimum: 0,
    maximum: MAX_TEMPERATURE,
  })
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(MAX_TEMPERATURE)
  temperature?: number;

  @ApiPropertyOptional({ description: 'As `temperature`.', minimum: 0, maximum: 1 })
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(1)
  top_p?: number;

  @ApiPropertyOptional({
    description:
      "Limit of each turn of the model, thinking included; an agent's own limit takes precedence. MODEL_MAX_OUTPUT_TOKENS unless given.",
    minimum: 1,
    maximum: MAX_OUTPUT_TOKENS,
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_OUTPUT_TOKENS)
  max_output_tokens?: number;

  @ApiPropertyOptional({
    description:
      'Model turns the agent may take: at most MAX_ITERATIONS of the server, or what the kind of agent has.',
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
      'When the events have no reader any more: by default a streamed start is cancelled after a grace period, and one in the background continues.',
  })
  @IsOptional()
  @IsIn(['cancel', 'continue'])
  on_disconnect?: 'cancel' | 'continue';

  @ApiPropertyOptional({
    enum: APPROVAL_MODES,
    description:
      'What happens to calls that need an approval: a person is asked (default), they are allowed, denied, or asked about while the agent goes on. What a rule denies stays denied. The server may not allow all (ALLOWED_APPROVAL_MODES).',
  })
  @IsOptional()
  @IsIn(APPROVAL_MODES)
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
    type: [String],
    maxItems: MAX_FILES,
    description:
      'Files that come with the message: texts, PDFs and Word documents are read, images are shown to models that see, others are named. An edit without this keeps those of the message that it replaces; `[]` drops them.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_FILES)
  @ArrayUnique({ message: 'file_ids has an id twice' })
  @IsString({ each: true })
  @MaxLength(64, { each: true })
  file_ids?: string[];

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
