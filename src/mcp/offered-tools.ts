import { nameOf, readDeclaration } from './declaration.js';
import type { McpConnection } from './mcp-connection.js';
import { McpTool } from './mcp-tool.js';

/** Maximum number of tools of one server. A longer list degrades a model's choice. */
const MAX_TOOLS = 200;

export interface OfferedTools {
  readonly tools: readonly McpTool[];
  /** One for each tool that can't be used. */
  readonly problems: readonly string[];
}

export function offeredTools(
  server: McpConnection,
  declarations: readonly unknown[],
): OfferedTools {
  const tools: McpTool[] = [];
  const problems: string[] = [];
  for (const declaration of declarations.slice(0, MAX_TOOLS)) {
    try {
      tools.push(new McpTool(server, readDeclaration(declaration)));
    } catch (error) {
      problems.push(`${nameOf(declaration)}: ${(error as Error).message}`);
    }
  }
  if (declarations.length > MAX_TOOLS)
    problems.push(`it has ${declarations.length} tools; the first ${MAX_TOOLS} are offered`);
  return { tools, problems };
}
