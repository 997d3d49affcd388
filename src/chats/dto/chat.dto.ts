import { ApiProperty } from '@nestjs/swagger';
import { InteractionDto } from '../../interactions/dto/interaction.dto.js';
import { ChatSettingsDto } from '../../interactions/dto/chat-settings.dto.js';
import type { ChatSettings } from '../../protocol/chat-settings.js';
import type { Message } from '../../protocol/message.js';
import { INTERACTION_STATUSES } from '../../protocol/interaction.js';
import { VISIBILITIES } from '../../protocol/records/fields.js';
import type {
  Chat,
  ChatSummary,
  InteractionStatus,
  Usage,
  Visibility,
} from '../../protocol/interaction.js';

/** A chat in a list. */
export class ChatSummaryDto implements ChatSummary {
  @ApiProperty({ example: 'chat_123' })
  readonly id: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'What is 6*7, and what time is it?',
    description: 'Unless it was given, the beginning of the first message.',
  })
  readonly title: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '42, and it is ten.',
    description:
      'The beginning of the last message or answer of the active branch, at most 200 characters on one line.',
  })
  readonly preview: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The kind of agent for its interactions: that of the settings.',
  })
  readonly agent: string | null;

  @ApiProperty({
    type: ChatSettingsDto,
    description: 'What its interactions start with unless their message says otherwise.',
  })
  readonly settings: ChatSettings;

  @ApiProperty({ example: 'ann', description: 'The user who created it.' })
  readonly owner: string;

  @ApiProperty({ enum: VISIBILITIES, description: 'Who sees it: its owner, or all of the tenant.' })
  readonly visibility: Visibility;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The last interaction of the active branch.',
  })
  readonly head_interaction_id: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The interaction that runs or waits for a person; null: none does.',
  })
  readonly active_interaction_id: string | null;

  @ApiProperty({
    enum: INTERACTION_STATUSES,
    nullable: true,
    description:
      'Of the active interaction, else QUEUED if any waits, else of the head; null: nothing was said yet.',
  })
  readonly status: InteractionStatus | null;

  @ApiProperty({ format: 'date-time' })
  readonly created_at: string;

  @ApiProperty({
    format: 'date-time',
    description: 'When it was changed, or an interaction of it began or ended.',
  })
  readonly updated_at: string;

  @ApiProperty({ type: Object })
  readonly metadata: Readonly<Record<string, unknown>>;
}

export class ChatDto extends ChatSummaryDto implements Chat {
  @ApiProperty({ type: [Object], description: 'The conversation that it starts from.' })
  readonly messages: readonly Message[];

  @ApiProperty({
    type: [InteractionDto],
    description:
      'In the order in which they began, queued ones last; with `include=superseded` in the order of the requests. About 8 MiB at most.',
  })
  readonly interactions: readonly InteractionDto[];

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The value of `before` for the earlier interactions; null if there are none.',
  })
  readonly next_before: string | null;

  @ApiProperty({
    type: Object,
    allOf: [{ $ref: '#/components/schemas/Usage' }],
    description: 'Of all its interactions, also those off the active branch.',
  })
  readonly usage: Usage;
}

export class ChatListDto {
  @ApiProperty({ type: [ChatSummaryDto], description: 'Newest first, in the order asked for.' })
  readonly items: readonly ChatSummaryDto[];

  @ApiProperty({ type: String, nullable: true, description: 'null on the last page.' })
  readonly next_cursor: string | null;
}
