import { ApiProperty } from '@nestjs/swagger';
import { ProblemDto } from '../../http/errors/problem.dto.js';
import { TaskDto } from './task.dto.js';

/** `task_changed`: somebody was faster. */
export class TaskChangedDto extends ProblemDto {
  @ApiProperty({ type: TaskDto, description: 'The task as it is now.' })
  readonly task: TaskDto;
}
