import { ApiProperty } from '@nestjs/swagger';
import type { AgentEvent } from '../../protocol/events.js';
import type { Interaction, InteractionStatus } from '../../protocol/interaction.js';
import type { Message } from '../../protocol/message.js';

class UsageDto {
  @ApiProperty({ description: 'Tokens.' })
  readonly input_tokens: number;

  @ApiProperty({ description: 'Tokens.' })
  readonly output_tokens: number;
}

class InteractionErrorDto {
  @ApiProperty({ example: 'max_iterations' })
  readonly code: string;

  @ApiProperty()
  readonly message: string;
}

class AgentStateDto {
  @ApiProperty({ type: [Object], description: 'OpenAI chat messages: the whole conversation.' })
  readonly messages: readonly Message[];
}

/** An interaction, as the API documents it. */
export class InteractionDto implements Interaction {
  @ApiProperty({ example: 'int_0199c0de-0000-7000-8000-000000000000' })
  readonly id: string;

  @ApiProperty({ example: 'chat_123' })
  readonly chat_id: string;

  @ApiProperty({ type: String, nullable: true, description: 'The interaction before it.' })
  readonly parent_id: string | null;

  @ApiProperty({
    enum: [
      'QUEUED',
      'RUNNING',
      'WAITING_APPROVAL',
      'WAITING_INPUT',
      'COMPLETED',
      'FAILED',
      'CANCELLED',
    ],
  })
  readonly status: InteractionStatus;

  @ApiProperty()
  readonly user_message: string;

  @ApiProperty({ example: 'react' })
  readonly agent: string;

  @ApiProperty({ example: 'openai/gpt-5-mini' })
  readonly model: string;

  @ApiProperty({
    type: 'array',
    items: { $ref: '#/components/schemas/AgentEvent' },
    description: 'TOOL_CALL, TOOL_RESULT, THINKING, MESSAGE and ANSWER events, in order.',
  })
  readonly agent_events: readonly AgentEvent[];

  @ApiProperty({ type: AgentStateDto, nullable: true, description: 'null until it ended.' })
  readonly final_agent_state: AgentStateDto | null;

  @ApiProperty({ type: UsageDto })
  readonly usage: UsageDto;

  @ApiProperty({ type: InteractionErrorDto, nullable: true })
  readonly error: InteractionErrorDto | null;

  @ApiProperty({ format: 'date-time' })
  readonly created_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly completed_at: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Set while it is off the active branch.',
  })
  readonly superseded_at: string | null;

  @ApiProperty({ description: 'Records in its log.' })
  readonly last_seq: number;

  @ApiProperty({ type: Object })
  readonly metadata: Readonly<Record<string, unknown>>;
}
