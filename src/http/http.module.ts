import { Module } from '@nestjs/common';
import { SseStreams } from './sse-streams.js';

/** What controllers that stream need. */
@Module({ providers: [SseStreams], exports: [SseStreams] })
export class HttpModule {}
