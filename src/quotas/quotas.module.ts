import { Module } from '@nestjs/common';
import { KnownUsage } from './known-usage.js';
import { Quotas } from './quotas.js';
import { UsageController } from './usage/usage.controller.js';
import { UsageReport } from './usage/usage-report.js';

@Module({
  controllers: [UsageController],
  providers: [Quotas, KnownUsage, UsageReport],
  exports: [Quotas],
})
export class QuotasModule {}
