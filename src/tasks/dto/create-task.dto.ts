import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsIn,
  IsNotEmpty,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  ValidateIf,
} from 'class-validator';
import { TASK_STATUSES } from '../../protocol/records/fields.js';
import type { TaskStatus } from '../../protocol/task.js';
import { MAX_DESCRIPTION, MAX_TITLE } from '../task-limits.js';

export class CreateTaskDto {
  @ApiProperty({ example: 'chat_123' })
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'chat_id must be 1 to 64 letters, digits, _ or -' })
  chat_id: string;

  @ApiProperty({ example: 'Write the failing test', maxLength: MAX_TITLE })
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_TITLE)
  title: string;

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: MAX_DESCRIPTION })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_DESCRIPTION)
  description?: string | null;

  @ApiPropertyOptional({ enum: TASK_STATUSES, default: 'pending' })
  @ValidateIf((_, value) => value !== undefined)
  @IsIn(TASK_STATUSES)
  status?: TaskStatus;
}
