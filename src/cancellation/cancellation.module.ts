import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { StreamsModule } from '../streams/streams.module.js';
import { CancellationController } from './cancellation.controller.js';
import { CancellationService } from './cancellation.service.js';
import { DisconnectWatch } from './disconnect-watch.js';
import { WaitForEnd } from './wait-for-end.js';

@Module({
  imports: [AccessModule, EventLogModule, StreamsModule],
  controllers: [CancellationController],
  providers: [CancellationService, DisconnectWatch, WaitForEnd],
  exports: [CancellationService, DisconnectWatch, WaitForEnd],
})
export class CancellationModule {}
