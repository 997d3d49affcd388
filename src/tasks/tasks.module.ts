import { Module } from '@nestjs/common';
import { TasksController } from './tasks.controller.js';
import { TasksService } from './tasks.service.js';
import { TodoTool } from './todo.tool.js';

/** Needs a `TaskStore`, a `ChatStore`, a `Clock` and `Ids` from whoever binds the ports. */
@Module({
  controllers: [TasksController],
  providers: [TasksService, TodoTool],
})
export class TasksModule {}
