import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { StreamsModule } from '../streams/streams.module.js';
import { ChangeDetails } from './change-details.js';
import { ChatChanges } from './chat-changes.js';
import { FeedController } from './feed.controller.js';
import { LiveStates } from './live-states.js';
import { LiveStreams } from './live-streams.js';

/** Streams of whole chats, and of all chats that a user sees. */
@Module({
  imports: [AccessModule, EventLogModule, StreamsModule],
  controllers: [FeedController],
  providers: [ChatChanges, ChangeDetails, LiveStates, LiveStreams],
  exports: [LiveStreams],
})
export class FeedModule {}
