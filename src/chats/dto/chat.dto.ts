import { ApiProperty } from '@nestjs/swagger';
import { InteractionDto } from '../../interactions/dto/interaction.dto.js';
import { VISIBILITIES } from '../../protocol/interaction.js';
import type { Chat, ChatSummary, Visibility } from '../../protocol/interaction.js';

/** A chat in a list. */
export class ChatSummaryDto implements ChatSummary {
  @ApiProperty({ example: 'chat_123' })
  readonly id: string;

  @ApiProperty({ type: String, nullable: true })
  readonly title: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The kind of agent for its interactions.',
  })
  readonly agent: string | null;

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

  @ApiProperty({ format: 'date-time' })
  readonly created_at: string;

  @ApiProperty({ format: 'date-time' })
  readonly updated_at: string;

  @ApiProperty({ type: Object })
  readonly metadata: Readonly<Record<string, unknown>>;
}

export class ChatDto extends ChatSummaryDto implements Chat {
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
}

export class ChatListDto {
  @ApiProperty({ type: [ChatSummaryDto], description: 'Newest first.' })
  readonly items: readonly ChatSummaryDto[];

  @ApiProperty({ type: String, nullable: true, description: 'null on the last page.' })
  readonly next_cursor: string | null;
}
