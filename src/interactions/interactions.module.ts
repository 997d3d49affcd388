import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AgentsModule } from '../agents/agents.module.js';
import { CancellationModule } from '../cancellation/cancellation.module.js';
import { ConversationCacheModule } from '../persistence/conversation-cache/conversation-cache.module.js';
import { AudioModule } from '../audio/audio.module.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { FilesModule } from '../files/files.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { StreamsModule } from '../streams/streams.module.js';
import { ModelsModule } from '../models/models.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { EventsService } from './events.service.js';
import { InteractionView } from './interaction-view.js';
import { InteractionFactory } from './start/interaction.factory.js';
import { InteractionsController } from './interactions.controller.js';
import { StartService } from './start/start.service.js';
import { QueuedController } from './active/queued.controller.js';
import { QueuedService } from './active/queued.service.js';
import { RetryService } from './start/retry.service.js';
import { RunChecks } from './start/run-checks.js';
import { RunDispatcher } from './start/run-dispatcher.js';
import { RunsController } from './active/runs.controller.js';
import { RunsService } from './active/runs.service.js';
import { AnswerSpeech } from './speech/answer-speech.js';
import { ResultImages } from './images/result-images.js';
import { ResultImagesController } from './images/result-images.controller.js';
import { SpeechController } from './speech/speech.controller.js';

@Module({
  imports: [
    AccessModule,
    AgentsModule,
    AudioModule,
    CancellationModule,
    ConversationCacheModule,
    EventLogModule,
    FilesModule,
    GuardrailsModule,
    StreamsModule,
    ModelsModule,
    QuotasModule,
    RunsModule,
    ToolsModule,
  ],
  controllers: [
    InteractionsController,
    RunsController,
    QueuedController,
    SpeechController,
    ResultImagesController,
  ],
  providers: [
    StartService,
    RetryService,
    RunDispatcher,
    RunsService,
    InteractionFactory,
    QueuedService,
    RunChecks,
    EventsService,
    InteractionView,
    AnswerSpeech,
    ResultImages,
  ],
  exports: [...[RunsModule, StartService, EventsService, InteractionView, RunChecks], RunsService],
})
export class InteractionsModule {}
