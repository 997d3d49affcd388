import { Module } from '@nestjs/common';
import { CancellationService } from './cancellation.service.js';

@Module({ providers: [CancellationService], exports: [CancellationService] })
export class CancellationModule {}
