import { Global, Module } from '@nestjs/common';
import { AuditController } from './audit.controller.js';
import { AuditTrail } from './audit-trail.js';

/** Global, since most features that change something note it. */
@Global()
@Module({ controllers: [AuditController], providers: [AuditTrail], exports: [AuditTrail] })
export class AuditModule {}
