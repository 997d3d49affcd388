import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access.guard.js';
import { ChatAccess } from './chat-access.js';
import { KeysController } from './keys/keys.controller.js';
import { KeysService } from './keys/keys.service.js';
import { TicketsController } from './tickets/tickets.controller.js';

/** Scopes of routes, what a caller sees, and the API of credentials. */
@Module({
  controllers: [KeysController, TicketsController],
  providers: [ChatAccess, KeysService, { provide: APP_GUARD, useClass: AccessGuard }],
  exports: [ChatAccess],
})
export class AccessModule {}
