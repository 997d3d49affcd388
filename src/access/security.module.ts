import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access.guard.js';
import { AuditController } from './audit/audit.controller.js';
import { KeysController } from './keys/keys.controller.js';
import { KeysService } from './keys/keys.service.js';
import { ProblemsController } from './problems/problems.controller.js';
import { Refusals } from './refusals.js';
import { TicketsController } from './tickets/tickets.controller.js';

/** Scopes of all routes, and the API of keys, tickets and the audit trail. */
@Module({
  controllers: [AuditController, KeysController, ProblemsController, TicketsController],
  providers: [KeysService, Refusals, { provide: APP_GUARD, useClass: AccessGuard }],
})
export class SecurityModule {}
