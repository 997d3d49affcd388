import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { TasksController } from './tasks.controller.js';
import { TasksService } from './tasks.service.js';
import { TodoTool } from './todo.tool.js';

@Module({
  imports: [AccessModule],
  controllers: [TasksController],
  providers: [TasksService, TodoTool],
})
export class TasksModule {}
