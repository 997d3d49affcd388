import type { Facade } from '../facade.js';
import { McpModule } from './mcp.module.js';
import { rulesFor } from './mcp.rules.js';

/** The server as an MCP server: agents are its tools. */
export const MCP: Facade = {
  name: 'mcp',
  paths: ['/mcp', '/mcp/'],
  rules: rulesFor(null),
  module: McpModule,
};
