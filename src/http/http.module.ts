import { Module } from '@nestjs/common';
import { AdmissionGate } from './admission-gate.js';
import { SseStreams } from './sse-streams.js';

/** What controllers need that stream or take on work. */
@Module({ providers: [SseStreams, AdmissionGate], exports: [SseStreams, AdmissionGate] })
export class HttpModule {}
