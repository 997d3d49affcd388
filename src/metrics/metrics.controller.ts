import { Controller, Get, Res } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access } from '../access/access.decorator.js';
import { NeedsNoStore } from '../http/security/needs-no-store.js';
import { EventStreams } from '../http/event-streams.js';
import { Runner } from '../runs/runner/runner.js';
import { Spill } from '../event-log/spill/spill.js';
import { StoreHealth } from '../event-log/store-health.js';
import { Metrics } from './metrics.js';

@ApiTags('operations')
@NeedsNoStore()
@Access('operate')
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    private readonly runner: Runner,
    private readonly streams: EventStreams,
    private readonly spill: Spill,
    private readonly store: StoreHealth,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Metrics of this process, for Prometheus' })
  @ApiProduces('text/plain')
  @ApiResponse({ status: 200, schema: { type: 'string' } })
  async scrape(@Res() response: Response): Promise<void> {
    const text = await this.metrics.scrape({
      runs: this.runner.counts,
      queue_length: await this.runner.countWaiting(),
      streams: this.streams.count,
      spilled: this.spill.count,
      store_up: this.store.awaySince === undefined,
    });
    response.type(this.metrics.contentType).send(text);
  }
}
