import { Module } from '@nestjs/common';
import { FeedModule } from '../../feed/feed.module.js';
import { FacadeBaseModule } from '../base/facade-base.module.js';
import { AssistantsController } from './assistants.controller.js';
import { Interrupts } from './interrupts/interrupts.js';
import { ProtocolController } from './protocol/protocol.controller.js';
import { Forks } from './runs/forks.js';
import { RunAnswers } from './runs/run-answers.js';
import { RunStarts } from './runs/run-starts.js';
import { Runs } from './runs/runs.js';
import { RunsController } from './runs/runs.controller.js';
import { StatelessRunsController } from './runs/stateless-runs.controller.js';
import { ThreadSearches } from './threads/thread-searches.js';
import { ThreadStates } from './threads/thread-states.js';
import { Threads } from './threads/threads.js';
import { ThreadsController } from './threads/threads.controller.js';

@Module({
  imports: [FacadeBaseModule, FeedModule],
  controllers: [
    AssistantsController,
    ThreadsController,
    RunsController,
    StatelessRunsController,
    ProtocolController,
  ],
  providers: [
    Forks,
    Interrupts,
    RunAnswers,
    RunStarts,
    Runs,
    ThreadSearches,
    ThreadStates,
    Threads,
  ],
})
export class LangGraphModule {}
