import { Global, Module } from '@nestjs/common';
import { Telemetry } from './telemetry.js';

/** Global because every folder above may emit. */
@Global()
@Module({ providers: [Telemetry], exports: [Telemetry] })
export class TelemetryModule {}
