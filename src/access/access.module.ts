import { Module } from '@nestjs/common';
import { ChatAccess } from './chat-access.js';

/** Rows that a caller sees. */
@Module({ providers: [ChatAccess], exports: [ChatAccess] })
export class AccessModule {}
