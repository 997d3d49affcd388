import { Global, Module } from '@nestjs/common';
import { Authentication } from './authentication.js';
import { JwtVerifier } from './jwt/jwt-verifier.js';
import { ApiKeys } from './keys/api-keys.js';
import { TicketsController } from './tickets/tickets.controller.js';
import { StreamTickets } from './tickets/stream-tickets.js';

/** Identifies callers; `configureApp` installs it. */
@Global()
@Module({
  controllers: [TicketsController],
  providers: [Authentication, ApiKeys, JwtVerifier, StreamTickets],
  exports: [Authentication, ApiKeys, JwtVerifier, StreamTickets],
})
export class AuthModule {}
