import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { InteractionsModule } from '../interactions/interactions.module.js';
import { MetricsController } from './metrics.controller.js';

@Module({ imports: [HttpModule, InteractionsModule], controllers: [MetricsController] })
export class MetricsModule {}
