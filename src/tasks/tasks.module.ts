import { Module } from '@nestjs/common';
import { TasksController } from './tasks.controller.js';
import { TasksService } from './tasks.service.js';
import { TodoTool } from './todo.tool.js';

@Module({
  controllers: [TasksController],
  providers: [TasksService, TodoTool],
})
export class TasksModule {}
