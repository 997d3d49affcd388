import { Module } from '@nestjs/common';
import { FacadeBaseModule } from '../base/facade-base.module.js';
import { AgUiController } from './ag-ui.controller.js';
import { AgUiRuns } from './ag-ui-runs.js';
import { AgentThreads } from './agent-threads.js';
import { CopilotKitController } from './copilotkit.controller.js';
import { Resumption } from './resumption.js';
import { ThreadReplay } from './thread-replay.js';

@Module({
  imports: [FacadeBaseModule],
  controllers: [AgUiController, CopilotKitController],
  providers: [AgUiRuns, AgentThreads, Resumption, ThreadReplay],
})
export class AgUiModule {}
