import { Module } from '@nestjs/common';
import { KnownUsage } from './known-usage.js';
import { Quotas } from './quotas.js';

@Module({ providers: [Quotas, KnownUsage], exports: [Quotas] })
export class QuotasModule {}
