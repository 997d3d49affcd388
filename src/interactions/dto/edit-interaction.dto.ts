import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { RunOptionsDto } from './run-options.dto.js';

export class EditInteractionDto extends RunOptionsDto {
  @ApiProperty({ description: 'What the user says instead.', example: 'What is 7*7?' })
  @IsString()
  @Matches(/\S/, { message: 'new_user_message must contain more than white space' })
  new_user_message: string;

  @ApiPropertyOptional({
    enum: ['reject', 'interrupt'],
    description: 'When the chat is busy: answer 409 (default), or cancel what runs and go next.',
  })
  @IsOptional()
  @IsIn(['reject', 'interrupt'])
  on_conflict?: 'reject' | 'interrupt';
}
