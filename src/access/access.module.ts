import { Module } from '@nestjs/common';
import { ChatAccess } from './chat-access.js';
import { ChatWatch } from './chat-watch.js';

/** Rows that a caller sees. */
@Module({ providers: [ChatAccess, ChatWatch], exports: [ChatAccess, ChatWatch] })
export class AccessModule {}
