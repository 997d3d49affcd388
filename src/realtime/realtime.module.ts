import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AudioModule } from '../audio/audio.module.js';
import { CancellationModule } from '../cancellation/cancellation.module.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { FeedModule } from '../feed/feed.module.js';
import { InteractionsModule } from '../interactions/interactions.module.js';
import { StreamsModule } from '../streams/streams.module.js';
import { RealtimeController } from './realtime.controller.js';
import { RealtimeServices } from './realtime-services.js';
import { RealtimeSockets } from './realtime-sockets.js';

/** Speech in both directions over a WebSocket. */
@Module({
  imports: [
    AccessModule,
    AudioModule,
    CancellationModule,
    EventLogModule,
    FeedModule,
    InteractionsModule,
    StreamsModule,
  ],
  controllers: [RealtimeController],
  providers: [RealtimeServices, RealtimeSockets],
})
export class RealtimeModule {}
