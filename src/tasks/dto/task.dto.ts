import { ApiProperty, ApiPropertyOptional, OmitType, PartialType, PickType } from '@nestjs/swagger';
import {
  IsIn,
  IsNotEmpty,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  ValidateIf,
  IsInt,
  Min,
} from 'class-validator';
import { DecimalInt } from '../../http/input/decimal-int.js';
import { ChatIdDto } from '../../http/input/ids.dto.js';
import { TASK_STATUSES } from '../../protocol/wire/task.js';
import { MAX_DESCRIPTION, MAX_TITLE } from '../task-limits.js';
import type { TaskStatus } from '../../protocol/wire/task.js';

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

/** Fields that are left out stay the same. */
export class ChangeTaskDto extends PartialType(OmitType(CreateTaskDto, ['chat_id', 'status']), {
  skipNullProperties: false,
}) {
  @ApiPropertyOptional({ enum: TASK_STATUSES, example: 'in_progress' })
  @ValidateIf((_, value) => value !== undefined)
  @IsIn(TASK_STATUSES)
  status?: TaskStatus;

  @ApiPropertyOptional({
    minimum: 1,
    description: 'The version that you saw; at another version, the task is not changed.',
  })
  @ValidateIf((_, value) => value !== undefined)
  @IsInt()
  @Min(1)
  version?: number;
}

export class ListTasksQueryDto extends PickType(ChatIdDto, ['chat_id']) {
  @ApiPropertyOptional({ enum: TASK_STATUSES })
  @IsOptional()
  @IsIn(TASK_STATUSES)
  status?: TaskStatus;

  @ApiPropertyOptional({ description: 'The `next_cursor` of the previous page.' })
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  cursor?: string;
}

export class DeleteTaskQueryDto {
  @ApiPropertyOptional({ minimum: 1, description: 'Only if the task is at this version.' })
  @IsOptional()
  @DecimalInt()
  @Min(1)
  version?: number;
}

export class TaskIdDto {
  @ApiProperty({ example: 'task_0199c0de-0000-7000-8000-000000000000' })
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'id must be 1 to 64 letters, digits, _ or -' })
  id: string;
}
