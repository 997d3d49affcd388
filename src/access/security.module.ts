import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access.guard.js';
import { Refusals } from './refusals.js';

/** Scopes of all routes. */
@Module({ providers: [Refusals, { provide: APP_GUARD, useClass: AccessGuard }] })
export class SecurityModule {}
