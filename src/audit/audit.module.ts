import { Global, Module } from '@nestjs/common';
import { AuditTrail } from './audit-trail.js';

/** Global, since most features that change something note it. */
@Global()
@Module({ providers: [AuditTrail], exports: [AuditTrail] })
export class AuditModule {}
