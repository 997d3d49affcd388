import { readFile } from 'node:fs/promises';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { ConfigError } from '../config/config-error.js';
import { Config } from '../config/config.js';
import { ToolRegistry } from '../tools/tool-registry.js';
import type { ToolServer, ToolSource } from '../tools/tool-source.js';
import type { Tool } from '../tools/tool.js';
import { nameOf, readDeclaration } from './declaration.js';
import { McpConnection } from './mcp-connection.js';
import { McpTool } from './mcp-tool.js';
import { parseServers } from './parse-servers.js';
import type { ServerSettings } from './server-settings.js';
import { toolPrefix } from './tool-name.js';

const DEFAULT_PATH = './mcp.json';
/** Of one server; more would only confuse a model. */
const MAX_TOOLS = 200;
const MAX_TOLD = 5;

/** The MCP servers of the file that MCP_CONFIG names. Their tools are offered as `mcp__<server>__<tool>` while they are there. */
export class McpServers implements ToolSource, OnModuleInit, OnApplicationShutdown {
  private readonly connections: readonly McpConnection[];
  private readonly offered = new Map<string, number>();

  constructor(
    private readonly registry: ToolRegistry,
    settings: readonly ServerSettings[],
  ) {
    this.connections = settings.map((each) => {
      const connection: McpConnection = new McpConnection(each, (tools) =>
        this.offer(connection, tools),
      );
      return connection;
    });
  }

  /** @throws ConfigError with every fault of the file */
  static async open({ mcpConfig, variable }: Config, registry: ToolRegistry): Promise<McpServers> {
    const path = mcpConfig ?? DEFAULT_PATH;
    const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT' && mcpConfig === undefined) return undefined;
      const problem = `${path} can't be read (${cause.code})`;
      throw new ConfigError([{ variable: 'MCP_CONFIG', problem }], { cause });
    });
    if (text === undefined) return new McpServers(registry, []);
    const { servers, faults } = parseServers(text, { path, variable });
    if (faults.length > 0) throw new ConfigError(faults);
    return new McpServers(registry, servers);
  }

  /** Waits for the first try with each, so that what is taken up at start has its tools. */
  async onModuleInit(): Promise<void> {
    this.registry.addSource(this);
    await Promise.all(this.connections.map((connection) => connection.start()));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.stop()));
  }

  servers(): readonly ToolServer[] {
    return this.connections
      .map(({ name, state }) => ({ name, ...state, tools: this.offered.get(name) ?? 0 }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  explainMissing(tool: string): string | undefined {
    const server = this.connections.find(({ name }) => tool.startsWith(toolPrefix(name)));
    if (!server || server.state.state === 'ready') return undefined;
    const why = server.state.problem ?? 'it is still being connected';
    return `The MCP server ${server.name}, which may have ${tool}, is not available: ${why}.`;
  }

  /** Puts these in the place of the server's tools so far. */
  private offer(server: McpConnection, declarations: readonly unknown[]): string | null {
    const problems: string[] = [];
    const tools: Tool[] = [];
    for (const declaration of declarations.slice(0, MAX_TOOLS)) {
      try {
        tools.push(new McpTool(server, readDeclaration(declaration)));
      } catch (error) {
        problems.push(`${nameOf(declaration)}: ${(error as Error).message}`);
      }
    }
    if (declarations.length > MAX_TOOLS)
      problems.push(`it has ${declarations.length} tools; the first ${MAX_TOOLS} are offered`);
    problems.push(...this.registry.replace(server.name, tools));
    this.offered.set(server.name, tools.length);
    if (problems.length === 0) return null;
    return `Some of its tools can't be used. ${problems.slice(0, MAX_TOLD).join('; ')}`;
  }
}
