import { Module } from '@nestjs/common';
import { AdmissionGate } from './admission-gate.js';
import { CredentialWatch } from './credential-watch.js';
import { EventStreams } from './event-streams.js';
import { ResponseLimits } from './response-limits.js';

/** For controllers that stream events or accept work. */
@Module({
  providers: [EventStreams, CredentialWatch, AdmissionGate, ResponseLimits],
  exports: [EventStreams, AdmissionGate, CredentialWatch],
})
export class StreamsModule {}
