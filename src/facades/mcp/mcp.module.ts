import { Module } from '@nestjs/common';
import { FacadeBaseModule } from '../base/facade-base.module.js';
import { Calls } from './calls.js';
import { Decisions } from './decisions.js';
import { McpController } from './mcp.controller.js';
import { Sessions } from './sessions.js';

@Module({
  imports: [FacadeBaseModule],
  controllers: [McpController],
  providers: [Calls, Decisions, Sessions],
})
export class McpModule {}
