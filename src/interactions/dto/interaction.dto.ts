import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { AgentEvent } from '../../protocol/events.js';
import type { AttachedFile } from '../../protocol/file.js';
import type {
  Interaction,
  InteractionCut,
  InteractionStatus,
  Usage,
} from '../../protocol/interaction.js';
import type { Message } from '../../protocol/message.js';

class AttachedFileDto implements AttachedFile {
  @ApiProperty({ example: 'file_0199c0de-0000-7000-8000-000000000000' })
  readonly id: string;

  @ApiProperty({ example: 'report.pdf' })
  readonly filename: string;

  @ApiProperty({ example: 'application/pdf' })
  readonly mime_type: string;

  @ApiProperty({ example: 48213 })
  readonly size_bytes: number;
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

class InteractionCutDto implements InteractionCut {
  @ApiPropertyOptional({
    example:
      '/chats/chat_123/interactions/int_0199c0de-0000-7000-8000-000000000000/events?after=812',
    description: 'Streams all events after the last one in `agent_events`.',
  })
  readonly agent_events?: string;

  @ApiPropertyOptional({
    example: '/chats/chat_123/interactions/int_0199c0de-0000-7000-8000-000000000000',
    description: 'Has the final state, which is null here although the interaction has ended.',
  })
  readonly final_agent_state?: string;
}

/** An interaction, as the API documents it. */
export class InteractionDto implements Interaction {
  @ApiProperty({ example: 'int_0199c0de-0000-7000-8000-000000000000' })
  readonly id: string;

  @ApiProperty({ example: 'chat_123' })
  readonly chat_id: string;

  @ApiProperty({ type: String, nullable: true, description: 'The interaction before it.' })
  readonly parent_id: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The interaction that it edits.' })
  readonly edited_from: string | null;

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

  @ApiProperty({
    type: [AttachedFileDto],
    description: 'That came with the message; they may be deleted since.',
  })
  readonly files: readonly AttachedFile[];

  @ApiProperty({
    type: String,
    nullable: true,
    example: '42',
    description: 'The text of its last ANSWER; null while there is none.',
  })
  readonly answer: string | null;

  @ApiProperty({
    enum: ['stop', 'length', 'content_filter', null],
    type: String,
    nullable: true,
    example: 'stop',
    description:
      'Why that answer ended: `length` is the limit of output tokens. Null while there is none, and of one that a cancel cut off.',
  })
  readonly finish_reason: 'stop' | 'length' | 'content_filter' | null;

  @ApiProperty({ example: 'react' })
  readonly agent: string;

  @ApiProperty({
    example: 'agent_0199c0de-0000-7000-8000-000000000000',
    description: 'Its root agent. Events with another `agent_id` are those of child agents.',
  })
  readonly agent_id: string;

  @ApiProperty({ example: 'openai/gpt-5-mini' })
  readonly model: string;

  @ApiProperty({
    type: 'array',
    items: { $ref: '#/components/schemas/AgentEvent' },
    description:
      'TOOL_CALL, TOOL_RESULT, THINKING, MESSAGE and ANSWER events, in order: the first 2 MiB of them, in a chat the first 256 KiB. If there are more, `cut.agent_events` says where.',
  })
  readonly agent_events: readonly AgentEvent[];

  @ApiProperty({
    type: AgentStateDto,
    nullable: true,
    description:
      'null until it ended. In a chat there are at most 2 MiB of them, from the newest interaction back; up to 16 MiB elsewhere. If it is left out, `cut.final_agent_state` says where it is.',
  })
  readonly final_agent_state: AgentStateDto | null;

  @ApiProperty({ type: Object, allOf: [{ $ref: '#/components/schemas/Usage' }] })
  readonly usage: Usage;

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

  @ApiProperty({
    type: InteractionCutDto,
    nullable: true,
    description: 'Paths of what is left out here because it is long; null if everything is here.',
  })
  readonly cut: InteractionCutDto | null;
}
