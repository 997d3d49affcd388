import { Module } from '@nestjs/common';
import { EventLogModule } from '../event-log/event-log.module.js';
import { CancellationService } from './cancellation.service.js';

@Module({
  imports: [EventLogModule],
  providers: [CancellationService],
  exports: [CancellationService],
})
export class CancellationModule {}
