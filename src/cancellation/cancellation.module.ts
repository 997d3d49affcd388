import { Module } from '@nestjs/common';
import { EventLogModule } from '../event-log/event-log.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { CancellationService } from './cancellation.service.js';

@Module({
  imports: [EventLogModule, QueueModule],
  providers: [CancellationService],
  exports: [CancellationService],
})
export class CancellationModule {}
