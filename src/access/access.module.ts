import { Module } from '@nestjs/common';
import { ChatAccess } from './chat-access.js';

@Module({
  providers: [ChatAccess],
  exports: [ChatAccess],
})
export class AccessModule {}
