import { Module } from '@nestjs/common';
import { FacadeBaseModule } from '../base/facade-base.module.js';
import { AgentCardController } from './card/agent-card.controller.js';
import { A2aJsonRpcController } from './json-rpc.controller.js';
import { Operations } from './operations.js';
import { A2aRestController } from './rest.controller.js';
import { Sends } from './sends.js';
import { TaskList } from './tasks/task-list.js';
import { Tasks } from './tasks/tasks.js';
import { VersionGuard } from './version.guard.js';

@Module({
  imports: [FacadeBaseModule],
  controllers: [AgentCardController, A2aJsonRpcController, A2aRestController],
  providers: [Operations, Sends, TaskList, Tasks, VersionGuard],
})
export class A2aModule {}
