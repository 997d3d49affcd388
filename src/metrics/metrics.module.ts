import { Global, Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { AppendMeter } from '../event-log/append/log-writer.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { FileMeter } from '../files/file-meter.js';
import { HttpModule } from '../http/http.module.js';
import { InteractionsModule } from '../interactions/interactions.module.js';
import { QuotaMeter } from '../quotas/quotas.js';
import { RunMeter } from '../runs/run-meter.js';
import { WebhookMeter } from '../webhooks/webhook-meter.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';

/** Global because others, which are below or beside it, count with its meters. */
@Global()
@Module({
  imports: [AgentsModule, EventLogModule, HttpModule, InteractionsModule],
  controllers: [MetricsController],
  providers: [
    Metrics,
    { provide: AppendMeter, useExisting: Metrics },
    { provide: QuotaMeter, useExisting: Metrics },
    { provide: RunMeter, useExisting: Metrics },
    { provide: FileMeter, inject: [Metrics], useFactory: ({ files }: Metrics) => files },
    { provide: WebhookMeter, inject: [Metrics], useFactory: ({ webhooks }: Metrics) => webhooks },
  ],
  exports: [AppendMeter, QuotaMeter, RunMeter, FileMeter, WebhookMeter],
})
export class MetricsModule {}
