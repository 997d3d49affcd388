import { Controller, Get, Res } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access } from '../auth/access.decorator.js';
import { NeedsNoStore } from '../http/security/needs-no-store.js';
import { EventStreams } from '../streams/event-streams.js';
import { Runner } from '../runs/runner/runner.js';
import { Spill } from '../event-log/spill/spill.js';
import { StoreHealth } from '../event-log/store-health.js';
import { Dependencies } from '../health/dependencies.js';
import { Clock } from '../kernel/clock.js';
import { Metrics } from './metrics.js';
import { PendingRequests } from './pending-requests.js';

@ApiTags('operations')
@NeedsNoStore()
@Access('operate')
@Controller('metrics')
export class MetricsController {
  /** Requests that come meanwhile get the same text. */
  private scraping: Promise<string> | undefined;

  constructor(
    private readonly metrics: Metrics,
    private readonly runner: Runner,
    private readonly streams: EventStreams,
    private readonly spill: Spill,
    private readonly store: StoreHealth,
    private readonly requests: PendingRequests,
    private readonly dependencies: Dependencies,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Metrics of this process, for Prometheus' })
  @ApiProduces('text/plain')
  @ApiResponse({ status: 200, schema: { type: 'string' } })
  async scrape(@Res() response: Response): Promise<void> {
    this.scraping ??= this.read().finally(() => (this.scraping = undefined));
    response.type(this.metrics.contentType).send(await this.scraping);
  }

  /** Formats all series, which takes as long for one reader as for many. */
  private async read(): Promise<string> {
    return this.metrics.scrape({
      runs: this.runner.counts,
      queue_length: await this.runner.countWaiting(),
      queue_oldest_ms: await this.runner.longestWait(),
      streams: this.streams.count,
      spilled: this.spill.count,
      store_up: this.store.awaySince === undefined,
      dependencies: this.dependencies.list(),
      pending: await this.requests.counts(),
      now: this.clock.now().getTime(),
    });
  }
}
