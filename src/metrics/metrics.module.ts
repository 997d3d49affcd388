import { Module } from '@nestjs/common';
import { EventLogModule } from '../event-log/event-log.module.js';
import { HttpModule } from '../http/http.module.js';
import { InteractionsModule } from '../interactions/interactions.module.js';
import { MetricsController } from './metrics.controller.js';

@Module({ imports: [EventLogModule, HttpModule, InteractionsModule], controllers: [MetricsController] })
export class MetricsModule {}
