import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { RunOptionsDto } from './run-options.dto.js';

export class StartInteractionDto extends RunOptionsDto {
  @ApiProperty({ description: 'What the user says.', example: 'What is 6*7, and what time is it?' })
  @IsString()
  @Matches(/\S/, { message: 'user_message must contain more than white space' })
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
