import { Module } from '@nestjs/common';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { AccessModule } from '../access/access.module.js';
import { TasksController } from './tasks.controller.js';
import { TasksService } from './tasks.service.js';
import { TodoTool } from './todo.tool.js';

@Module({
  imports: [AccessModule, EventLogModule, GuardrailsModule],
  controllers: [TasksController],
  providers: [TasksService, TodoTool],
})
export class TasksModule {}
