import { Global, Module } from '@nestjs/common';
import { AppendMeter } from '../event-log/append/log-writer.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { HttpModule } from '../http/http.module.js';
import { InteractionsModule } from '../interactions/interactions.module.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';

/** Global because the event log, which is below, counts its commits with the `AppendMeter`. */
@Global()
@Module({
  imports: [EventLogModule, HttpModule, InteractionsModule],
  controllers: [MetricsController],
  providers: [Metrics, { provide: AppendMeter, useExisting: Metrics }],
  exports: [AppendMeter],
})
export class MetricsModule {}
