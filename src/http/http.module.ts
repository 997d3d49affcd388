import { Module } from '@nestjs/common';
import { AdmissionGate } from './admission-gate.js';
import { CredentialWatch } from './credential-watch.js';
import { EventStreams } from './event-streams.js';

/** For controllers that stream events or accept work. */
@Module({
  providers: [EventStreams, CredentialWatch, AdmissionGate],
  exports: [EventStreams, AdmissionGate],
})
export class HttpModule {}
