import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Matches, MaxLength, Min } from 'class-validator';
import { ChatIdDto } from '../../http/input/ids.dto.js';
import { TASK_STATUSES } from '../../protocol/records/fields.js';
import type { TaskStatus } from '../../protocol/task.js';

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
  @Type(() => Number)
  @IsInt()
  @Min(1)
  version?: number;
}

export class TaskIdDto {
  @ApiProperty({ example: 'task_0199c0de-0000-7000-8000-000000000000' })
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'id must be 1 to 64 letters, digits, _ or -' })
  id: string;
}
