import { Module } from '@nestjs/common';
import { AudioModule } from '../../audio/audio.module.js';
import { FacadeBaseModule } from '../base/facade-base.module.js';
import { OpenAiAudioController } from './audio/audio.controller.js';
import { ChatCompletionsController } from './chat/chat.controller.js';
import { ChatStarts } from './chat/chat-starts.js';
import { KnownHistories } from './chat/known-histories.js';
import { OpenAiModelsController } from './models.controller.js';
import { KnownResponses } from './responses/known-responses.js';
import { ResponseStarts } from './responses/response-starts.js';
import { ResponsesController } from './responses/responses.controller.js';

@Module({
  imports: [AudioModule, FacadeBaseModule],
  controllers: [
    OpenAiModelsController,
    ChatCompletionsController,
    ResponsesController,
    OpenAiAudioController,
  ],
  providers: [ChatStarts, KnownHistories, KnownResponses, ResponseStarts],
})
export class OpenAiModule {}
