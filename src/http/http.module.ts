import { Module } from '@nestjs/common';
import { Intake } from './admission-gate.js';
import { SseStreams } from './sse-streams.js';

/** What controllers need that stream or take on work. */
@Module({ providers: [SseStreams, Intake], exports: [SseStreams, Intake] })
export class HttpModule {}
