import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Matches, ValidateIf } from 'class-validator';

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
