import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { HealthController } from './health.controller.js';
import { StoreGuard } from './store.guard.js';

@Module({
  controllers: [HealthController],
  providers: [{ provide: APP_GUARD, useClass: StoreGuard }],
})
export class HealthModule {}
