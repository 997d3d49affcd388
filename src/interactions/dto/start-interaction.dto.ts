import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import type { EditedMessage, NewMessage } from '../start/start-request.js';
import { RunOptionsDto } from './run-options.dto.js';

export class StartInteractionDto extends RunOptionsDto implements NewMessage {
  @ApiProperty({
    description: 'What the user says: may be empty only beside a recording in `file_ids`.',
    example: 'What is 6*7, and what time is it?',
  })
  @IsString()
  user_message: string;

  @ApiPropertyOptional({
    enum: ['reject', 'enqueue', 'interrupt'],
    description:
      'When the chat is busy: answer 409 (default), wait for its turn, or cancel what runs and go next.',
  })
  @IsOptional()
  @IsIn(['reject', 'enqueue', 'interrupt'])
  on_conflict?: 'reject' | 'enqueue' | 'interrupt';
}

export class EditInteractionDto extends RunOptionsDto implements EditedMessage {
  @ApiProperty({
    description: 'What the user says instead: may be empty only beside a recording.',
    example: 'What is 7*7?',
  })
  @IsString()
  new_user_message: string;

  @ApiPropertyOptional({
    enum: ['reject', 'interrupt'],
    description: 'When the chat is busy: answer 409 (default), or cancel what runs and go next.',
  })
  @IsOptional()
  @IsIn(['reject', 'interrupt'])
  on_conflict?: 'reject' | 'interrupt';
}
