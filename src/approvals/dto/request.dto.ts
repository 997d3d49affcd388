import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { SettledDto } from './settled.dto.js';

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
export class RequestDto {
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
