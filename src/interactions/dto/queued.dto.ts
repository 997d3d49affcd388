import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Matches, ValidateIf } from 'class-validator';
import { InteractionDto } from './interaction.dto.js';

export class QueueDto {
  @ApiProperty({
    type: [InteractionDto],
    description:
      'In the order in which they will run, the next one first; about 8 MiB at most. Without those that are being cancelled.',
  })
  readonly items: readonly InteractionDto[];
}

export class ChangeQueuedDto {
  @ApiPropertyOptional({ description: 'What the user says instead.', example: 'What is 7*7?' })
  @ValidateIf((_, value) => value !== undefined)
  @IsString()
  @Matches(/\S/, { message: 'user_message must contain more than white space' })
  user_message?: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description:
      'Another queued interaction of the chat, in front of which it will run; null: after all others.',
  })
  @IsOptional()
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'before must be the id of an interaction, or null' })
  before?: string | null;
}
