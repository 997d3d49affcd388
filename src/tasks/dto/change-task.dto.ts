import { ApiPropertyOptional, OmitType, PartialType } from '@nestjs/swagger';
import { IsIn, IsInt, Min, ValidateIf } from 'class-validator';
import { TASK_STATUSES } from '../../protocol/records/fields.js';
import type { TaskStatus } from '../../protocol/task.js';
import { CreateTaskDto } from './create-task.dto.js';

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
