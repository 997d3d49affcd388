import { Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { ToolRegistry } from '../tools/core/tool-registry.js';
import { ToolsModule } from '../tools/tools.module.js';
import { McpServers } from './mcp-servers.js';

@Module({
  imports: [ToolsModule],
  providers: [
    {
      provide: McpServers,
      inject: [Config, ToolRegistry],
      useFactory: (config: Config, registry: ToolRegistry) => McpServers.open(config, registry),
    },
  ],
})
export class McpModule {}
