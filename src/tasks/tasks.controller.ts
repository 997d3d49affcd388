import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Redaction } from '../guardrails/redaction/redaction.js';
import { ChatAccess } from '../access/chat-access.js';
import { viewerOf } from '../access/viewer-of.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { Access } from '../auth/access.decorator.js';
import { isAfter, parsePageCursor, toPage } from '../kernel/page-cursor.js';
import {
  ChangeTaskDto,
  CreateTaskDto,
  DeleteTaskQueryDto,
  ListTasksQueryDto,
  TaskIdDto,
} from './dto/task.dto.js';
import { MAX_TASKS } from './task-limits.js';
import type { Actor } from './tasks.service.js';
import { TasksService } from './tasks.service.js';
import { ApiAnswer } from '../http/openapi/answer.js';
import { task, taskChanged, taskList } from '../protocol/wire/task.js';
import type { Task, TaskList } from '../protocol/wire/task.js';

@ApiTags('tasks')
@Access('chat')
@Controller('tasks')
export class TasksController {
  constructor(
    private readonly tasks: TasksService,
    private readonly redaction: Redaction,
    private readonly access: ChatAccess,
  ) {}

  @Get()
  @ApiOperation({
    summary: "A chat's task board, oldest first",
    description: 'Whole, unless it has more than about 8 MiB.',
  })
  @ApiAnswer(200, taskList)
  @ApiResponse({ status: 400 })
  @ApiResponse({ status: 404 })
  async list(
    @Caller() caller: Principal,
    @Query() { chat_id, status, cursor }: ListTasksQueryDto,
  ): Promise<TaskList> {
    const after = cursor === undefined ? undefined : parsePageCursor(cursor);
    const { uid } = await this.access.chat(caller, chat_id);
    const tasks = (await this.tasks.list(uid)).filter(
      (each) =>
        (status === undefined || each.status === status) && (!after || isAfter(each, after)),
    );
    return toPage(tasks, MAX_TASKS);
  }

  @Post()
  @ApiOperation({ summary: 'Add a task' })
  @ApiAnswer(201, task)
  @ApiResponse({ status: 400 })
  @ApiResponse({ status: 404 })
  @ApiResponse({ status: 409, description: 'The board is full.' })
  async add(
    @Caller() caller: Principal,
    @Body() { chat_id, ...fields }: CreateTaskDto,
  ): Promise<Task> {
    const chat = await this.access.chat(caller, chat_id);
    const redacted = await this.redaction.of(fields, 'title', 'description');
    return this.tasks.add(chat, redacted, byPerson(caller));
  }

  @Patch(':id')
  @ApiOperation({
    summary: 'Change a task',
    description: 'Fields that are left out stay the same.',
  })
  @ApiBody({ type: ChangeTaskDto, examples: { begun: { value: { status: 'in_progress' } } } })
  @ApiAnswer(200, task)
  @ApiResponse({ status: 400 })
  @ApiResponse({ status: 404 })
  @ApiAnswer(409, taskChanged, {
    description: 'It is at another version; `task` is its current state.',
  })
  async change(
    @Caller() caller: Principal,
    @Param() { id }: TaskIdDto,
    @Body() change: ChangeTaskDto,
  ): Promise<Task> {
    const redacted = await this.redaction.of(change, 'title', 'description');
    return this.tasks.change(id, redacted, byPerson(caller));
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a task' })
  @ApiResponse({ status: 204 })
  @ApiResponse({ status: 404 })
  @ApiAnswer(409, taskChanged, { description: 'It is at another version.' })
  async remove(
    @Caller() caller: Principal,
    @Param() { id }: TaskIdDto,
    @Query() { version }: DeleteTaskQueryDto,
  ): Promise<void> {
    await this.tasks.remove(id, version, byPerson(caller));
  }
}

/** Changes through the API count as made by a person. */
function byPerson(caller: Principal): Actor {
  return { agent_id: null, viewer: viewerOf(caller) };
}
