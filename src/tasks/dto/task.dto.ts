import { ApiProperty } from '@nestjs/swagger';
import { ProblemDto } from '../../http/errors/problem.dto.js';
import { TASK_STATUSES } from '../../protocol/records/fields.js';
import type { Task, TaskStatus } from '../../protocol/task.js';

export class TaskDto implements Task {
  @ApiProperty({ example: 'task_0199c0de-0000-7000-8000-000000000000' })
  readonly id: string;

  @ApiProperty({ example: 'chat_123' })
  readonly chat_id: string;

  @ApiProperty({ example: 'Write the failing test' })
  readonly title: string;

  @ApiProperty({ type: String, nullable: true })
  readonly description: string | null;

  @ApiProperty({ enum: TASK_STATUSES })
  readonly status: TaskStatus;

  @ApiProperty({ description: 'The number of changes, from 1.' })
  readonly version: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The agent that changed it last; null: a person.',
  })
  readonly agent_id: string | null;

  @ApiProperty({ format: 'date-time' })
  readonly created_at: string;

  @ApiProperty({ format: 'date-time' })
  readonly updated_at: string;
}

export class TaskListDto {
  @ApiProperty({ type: [TaskDto], description: 'Oldest first.' })
  readonly items: readonly TaskDto[];

  @ApiProperty({ type: String, nullable: true, description: 'null on the last page.' })
  readonly next_cursor: string | null;
}

/** `task_changed` */
export class TaskChangedDto extends ProblemDto {
  @ApiProperty({ type: TaskDto, description: 'The current state of the task.' })
  readonly task: TaskDto;
}
