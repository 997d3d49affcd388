import { Module } from '@nestjs/common';
import { ChatAccess } from './chat-access.js';

/** What a caller sees. */
@Module({ providers: [ChatAccess], exports: [ChatAccess] })
export class AccessModule {}
