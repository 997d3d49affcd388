import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../access/access.decorator.js';
import { isAfter, parsePageCursor, toPage } from '../http/input/page-cursor.js';
import { ProblemDto } from '../http/errors/problem.dto.js';
import { ChangeTaskDto } from './dto/change-task.dto.js';
import { CreateTaskDto } from './dto/create-task.dto.js';
import { TaskChangedDto, TaskDto, TaskListDto } from './dto/task.dto.js';
import { DeleteTaskQueryDto, ListTasksQueryDto, TaskIdDto } from './dto/tasks-query.dto.js';
import { MAX_TASKS } from './task-limits.js';
import { TasksService } from './tasks.service.js';

/** Changes through the API count as made by a person. */
const BY_PERSON = { agent_id: null };

@ApiTags('tasks')
@Access('chat')
@Controller('tasks')
export class TasksController {
  constructor(private readonly tasks: TasksService) {}

  @Get()
  @ApiOperation({
    summary: "A chat's task board, oldest first",
    description: 'Whole, unless it has more than about 8 MiB.',
  })
  @ApiResponse({ status: 200, type: TaskListDto })
  @ApiResponse({ status: 400, type: ProblemDto })
  @ApiResponse({ status: 404, type: ProblemDto })
  async list(@Query() { chat_id, status, cursor }: ListTasksQueryDto): Promise<TaskListDto> {
    const after = cursor === undefined ? undefined : parsePageCursor(cursor);
    const tasks = (await this.tasks.list(chat_id)).filter(
      (task) =>
        (status === undefined || task.status === status) && (!after || isAfter(task, after)),
    );
    return toPage(tasks, MAX_TASKS);
  }

  @Post()
  @ApiOperation({ summary: 'Add a task' })
  @ApiResponse({ status: 201, type: TaskDto })
  @ApiResponse({ status: 400, type: ProblemDto })
  @ApiResponse({ status: 404, type: ProblemDto })
  @ApiResponse({ status: 409, type: ProblemDto, description: 'The board is full.' })
  add(@Body() { chat_id, ...task }: CreateTaskDto): Promise<TaskDto> {
    return this.tasks.add(chat_id, task, BY_PERSON);
  }

  @Patch(':id')
  @ApiOperation({
    summary: 'Change a task',
    description: 'Fields that are left out stay the same.',
  })
  @ApiBody({ type: ChangeTaskDto, examples: { begun: { value: { status: 'in_progress' } } } })
  @ApiResponse({ status: 200, type: TaskDto })
  @ApiResponse({ status: 400, type: ProblemDto })
  @ApiResponse({ status: 404, type: ProblemDto })
  @ApiResponse({
    status: 409,
    type: TaskChangedDto,
    description: 'It is at another version; `task` is its current state.',
  })
  change(@Param() { id }: TaskIdDto, @Body() change: ChangeTaskDto): Promise<TaskDto> {
    return this.tasks.change(id, change, BY_PERSON);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a task' })
  @ApiResponse({ status: 204 })
  @ApiResponse({ status: 404, type: ProblemDto })
  @ApiResponse({ status: 409, type: TaskChangedDto, description: 'It is at another version.' })
  async remove(@Param() { id }: TaskIdDto, @Query() query: DeleteTaskQueryDto): Promise<void> {
    await this.tasks.remove(id, query.version);
  }
}
