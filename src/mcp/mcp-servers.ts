import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { inSlices } from '../kernel/async/sliced.js';
import { decodeText } from '../kernel/text/decode-text.js';
import { ConfigError } from '../config/config-error.js';
import { Config } from '../config/config.js';
import { proxyFor } from '../config/proxy-for.js';
import { ToolRegistry } from '../tools/core/tool-registry.js';
import type { ToolServer, ToolSource } from '../tools/core/tool-source.js';
import type { McpConnection } from './mcp-connection.js';
import type { OfferedTools } from './mcp-tool.js';
import { parseServers } from './parse-servers.js';
import type { ServerSettings } from './server-settings.js';
import { toolPrefix } from './reading/tool-name.js';

/** Time that the start of Parley waits for its servers, in milliseconds. */
const START_WAIT_MS = 10_000;
const DEFAULT_PATH = './mcp.json';
const MAX_TOLD = 5;

/**
 * The MCP servers of the file that MCP_CONFIG names. Their tools are offered as
 * `mcp__<server>__<tool>` while the servers are available.
 */
export class McpServers implements ToolSource, OnModuleInit, OnApplicationShutdown {
  private connections: readonly McpConnection[] = [];
  private readonly offered = new Map<string, number>();

  private constructor(private readonly registry: ToolRegistry) {}

  /** @throws ConfigError with all faults of the file */
  static async open(config: Config, registry: ToolRegistry): Promise<McpServers> {
    const { mcpConfig, variable } = config;
    const path = mcpConfig ?? DEFAULT_PATH;
    const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT' && mcpConfig === undefined) return undefined;
      const problem = `${path} can't be read (${cause.code})`;
      throw new ConfigError([{ variable: 'MCP_CONFIG', problem }], { cause });
    });
    const mcp = new McpServers(registry);
    if (bytes === undefined) return mcp;
    const { servers, faults } = parseServers(decodeText(bytes), { path, variable });
    if (faults.length > 0) throw new ConfigError(faults);
    if (servers.length > 0) await mcp.connect(servers, config);
    return mcp;
  }

  /**
   * Waits a while for the first connection attempt to each server, so that interactions resumed at
   * start have their tools. An attempt that takes longer goes on, and its tools come later.
   */
  async onModuleInit(): Promise<void> {
    this.registry.addSource(this);
    const waited = new AbortController();
    const all = Promise.all(this.connections.map((connection) => connection.start()));
    await Promise.race([all, delay(START_WAIT_MS, undefined, { signal: waited.signal })]);
    waited.abort();
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

  /** The SDK is imported only here, if servers are configured. */
  private async connect(settings: readonly ServerSettings[], config: Config) {
    const { McpConnection } = await import('./mcp-connection.js');
    const { offeredTools } = await import('./mcp-tool.js');
    this.connections = settings.map((each) => {
      const connection: McpConnection = new McpConnection(
        withProxy(each, config),
        async (declarations) =>
          this.offer(connection, await inSlices(offeredTools(connection, declarations))),
        config.mcpStartTimeoutMs,
      );
      return connection;
    });
  }

  /** Replaces the tools of the server. */
  private offer({ name }: McpConnection, { tools, problems }: OfferedTools): string | null {
    const all = [...problems, ...this.registry.replace(name, tools)];
    this.offered.set(name, tools.length);
    if (all.length === 0) return null;
    return `Some of its tools can't be used. ${all.slice(0, MAX_TOLD).join('; ')}`;
  }
}

function withProxy(settings: ServerSettings, config: Config): ServerSettings {
  if (settings.kind === 'stdio') return settings;
  const proxyUrl = proxyFor(config, settings.url.href);
  return { ...settings, ...(proxyUrl && { proxyUrl }) };
}
