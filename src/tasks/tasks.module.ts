import { Module } from '@nestjs/common';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { AccessModule } from '../access/access.module.js';
import { TasksController } from './tasks.controller.js';
import { TasksService } from './tasks.service.js';
import { TodoTool } from './todo.tool.js';

@Module({
  imports: [AccessModule, GuardrailsModule],
  controllers: [TasksController],
  providers: [TasksService, TodoTool],
})
export class TasksModule {}
