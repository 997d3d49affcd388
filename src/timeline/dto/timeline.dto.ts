import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { EventError, FinishReason } from '../../protocol/events.js';
import type { Usage } from '../../protocol/interaction.js';
import { SPAN_KINDS, SPAN_STATUSES } from '../timeline.js';
import type { Span, SpanEvent, SpanKind, SpanStatus } from '../timeline.js';

class SpanEventDto implements SpanEvent {
  @ApiProperty({
    example: 'model_retry',
    description: 'The code of a notice or an error; `resumed`, `cancelled`, `agent_intervened`.',
  })
  readonly name: string;

  @ApiProperty({ format: 'date-time' })
  readonly at: string;

  @ApiProperty({ description: 'Of its record.' })
  readonly seq: number;

  @ApiPropertyOptional()
  readonly message?: string;
}

class SpanErrorDto {
  @ApiProperty({ example: 'tool_failed' })
  readonly code: string;

  @ApiProperty()
  readonly message: string;
}

class SpanDto implements Span {
  @ApiProperty({ example: '9f86d081884c7d65', description: 'The same in traces.' })
  readonly id: string;

  @ApiProperty({ type: String, nullable: true, description: 'null: of the whole interaction.' })
  readonly parent_id: string | null;

  @ApiProperty({
    enum: SPAN_KINDS,
    description:
      '`agent`: what an agent did in one run, and so one for each time that the interaction was taken up. `wait`: for a person, or for a tool of the client.',
  })
  readonly kind: SpanKind;

  @ApiProperty({
    example: 'calculator',
    description:
      'The type of the agent, the model, the tool, or the kind of the request: `approval`, `question`, `client_tool`.',
  })
  readonly name: string;

  @ApiProperty({ example: 'agent_0199c0de-0000-7000-8000-000000000000' })
  readonly agent_id: string;

  @ApiProperty({ description: 'The number of the run.' })
  readonly epoch: number;

  @ApiPropertyOptional({
    description: 'Of an agent: its span in the run before, from which it goes on.',
  })
  readonly follows_id?: string;

  @ApiProperty({ format: 'date-time' })
  readonly started_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly ended_at: string | null;

  @ApiProperty({ enum: SPAN_STATUSES, description: '`lost`: with the process that ran it.' })
  readonly status: SpanStatus;

  @ApiProperty({ description: 'The record that says most of it.' })
  readonly seq: number;

  @ApiProperty({ type: [SpanEventDto] })
  readonly events: readonly SpanEventDto[];

  @ApiPropertyOptional({ type: SpanErrorDto })
  readonly error?: EventError;

  @ApiPropertyOptional({
    type: Object,
    example: { input_tokens: 21, output_tokens: 9 },
    description: 'Of a model turn.',
  })
  readonly usage?: Usage;

  @ApiPropertyOptional({
    type: String,
    allOf: [{ $ref: '#/components/schemas/FinishReason' }],
    example: 'stop',
    description: 'Of a model turn.',
  })
  readonly finish_reason?: FinishReason;

  @ApiPropertyOptional({ example: 'call_1' })
  readonly tool_call_id?: string;

  @ApiPropertyOptional({ example: 'approval_1', description: 'Of a wait.' })
  readonly request_id?: string;

  @ApiPropertyOptional({
    example: 'approved',
    description:
      'Of a wait: `approved`, `rejected`, `answered`, `declined`, `failed`, `timeout` or `cancel`.',
  })
  readonly outcome?: string;
}

export class TimelineDto {
  @ApiProperty({
    example: '4bf92f3577b34da6a3ce929d0e0e4736',
    description: 'Of its trace, if traces are exported: of the `traceparent` that started it.',
  })
  readonly trace_id: string;

  @ApiProperty({ type: [SpanDto], description: 'Each after its parent.' })
  readonly items: readonly SpanDto[];

  @ApiProperty({ description: 'True: the log is too long, and the spans of its end are missing.' })
  readonly truncated: boolean;
}
