import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { PageQueryDto } from '../../http/input/page-query.dto.js';
import type { Settled, RequestStatus } from '../../persistence/rows/request-rows.js';
import type { Cause, Decider } from '../../protocol/events.js';
import type { RequestView } from '../request-view.js';

/** The author of a settlement. */
export class SettledDto implements Settled {
  @ApiProperty({ type: Object, allOf: [{ $ref: '#/components/schemas/Decider' }] })
  readonly by: Decider;

  @ApiPropertyOptional({ type: Object, allOf: [{ $ref: '#/components/schemas/Cause' }] })
  readonly cause?: Cause;
}

/** The outcome of a request. */
class SettlementDto extends SettledDto {
  @ApiProperty({ enum: ['approval', 'input', 'tool'] })
  readonly kind: string;

  @ApiPropertyOptional({ description: 'Of an approval.' })
  readonly approved?: boolean;

  @ApiPropertyOptional({ description: 'Of an approval: why.' })
  readonly reason?: string;

  @ApiPropertyOptional({
    type: Object,
    description: 'Of an approval: the input that runs instead of the model’s.',
  })
  readonly modified_input?: Readonly<Record<string, unknown>>;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'Of a question; null: declined, or not answered in time.',
  })
  readonly answer?: string | null;

  @ApiPropertyOptional({ description: 'Of a tool that the client runs.' })
  readonly tool_output?: string;

  @ApiPropertyOptional({ description: 'Of a tool that the client runs.' })
  readonly is_error?: boolean;
}

/** A request: its own fields, and those of its event, which depend on its kind. */
class RequestDto {
  @ApiProperty({ description: 'The `approval_id` or `request_id`.' })
  readonly id: string;

  @ApiProperty({ enum: ['approval', 'input', 'tool'] })
  readonly kind: string;

  @ApiProperty({ enum: ['pending', 'settled', 'closed'] })
  readonly status: string;

  @ApiProperty()
  readonly chat_id: string;

  @ApiProperty()
  readonly interaction_id: string;

  @ApiProperty({ description: 'Who of the tree of agents asks.' })
  readonly agent_id: string;

  @ApiProperty({ format: 'date-time' })
  readonly created_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'null: never.' })
  readonly expires_at: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it was settled or closed; null while it is pending.',
  })
  readonly settled_at: string | null;

  @ApiProperty({
    type: SettlementDto,
    nullable: true,
    description: 'What it came to; null while it is pending, or when its interaction ended first.',
  })
  readonly settlement: SettlementDto | null;

  @ApiPropertyOptional({ description: 'Of an approval: the same as `id`.' })
  readonly approval_id?: string;

  @ApiPropertyOptional({ description: 'Of a question or a tool: the same as `id`.' })
  readonly request_id?: string;

  @ApiPropertyOptional({
    description: 'Of an approval or a tool, and of a question that a tool asks.',
  })
  readonly tool_call_id?: string;

  @ApiPropertyOptional({ description: 'Of an approval or a tool.', example: 'bash' })
  readonly tool_name?: string;

  @ApiPropertyOptional({
    description: 'Of an approval or a tool: JSON text as the model wrote it.',
    example: '{"command":"git log"}',
  })
  readonly tool_input?: string;

  @ApiPropertyOptional({ description: 'Of an approval: what the call would do.' })
  readonly action?: string;

  @ApiPropertyOptional({ description: 'Of an approval: the category of the tool.' })
  readonly category?: string;

  @ApiPropertyOptional({ description: 'Of an approval.', enum: ['low', 'medium', 'high'] })
  readonly risk?: string;

  @ApiPropertyOptional({ description: 'Of an approval: why it is asked.' })
  readonly reason?: string;

  @ApiPropertyOptional({ description: 'Of a question.' })
  readonly question?: string;

  @ApiPropertyOptional({ type: [String], description: 'Of a question: what may be chosen.' })
  readonly options?: readonly string[];
}

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const RULE = { message: '$property must be 1 to 64 letters, digits, _ or -' };

const STATUSES = ['pending', 'settled', 'closed', 'all'] as const;

export class RequestsQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: STATUSES, default: 'pending' })
  @IsOptional()
  @IsIn(STATUSES)
  status: RequestStatus | 'all' = 'pending';

  @ApiPropertyOptional()
  @IsOptional()
  @Matches(ID, RULE)
  chat_id?: string;

  @ApiPropertyOptional()
  @IsOptional()
  @Matches(ID, RULE)
  interaction_id?: string;
}

export class RequestListDto {
  @ApiProperty({
    type: [RequestDto],
    description: 'Oldest first; each also has the fields of its event.',
  })
  readonly items: readonly RequestView[];

  @ApiProperty({ type: String, nullable: true, description: 'null on the last page.' })
  readonly next_cursor: string | null;
}
