import { Module } from '@nestjs/common';
import { KnownUsage } from './known-usage.js';
import { Quotas } from './quotas.js';
import { QuotasController } from './quotas.controller.js';
import { UsageController } from './usage/usage.controller.js';
import { UsageReport } from './usage/usage-report.js';

@Module({
  controllers: [QuotasController, UsageController],
  providers: [Quotas, KnownUsage, UsageReport],
  exports: [Quotas],
})
export class QuotasModule {}
