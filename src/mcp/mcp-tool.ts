import { z } from 'zod';
import { Tool } from '../tools/core/tool.js';
import type { ToolOutput } from '../tools/core/tool-output.js';
import type { ToolContext, ToolPolicy } from '../tools/core/tool.js';
import type { Declaration } from './declaration.js';
import type { McpConnection } from './mcp-connection.js';
import { schemaCheck } from './schema-check.js';
import { toolName } from './tool-name.js';
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';

type Input = Readonly<Record<string, unknown>>;

/** In characters. */
const MAX_DESCRIPTION = 10_000;

/** A tool of an MCP server. */
export class McpTool extends Tool<Input> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  override readonly input_schema: Readonly<Record<string, unknown>>;
  readonly policy: ToolPolicy;

  /** @throws Error if the server's schema can't be used */
  constructor(
    private readonly server: McpConnection,
    private readonly declaration: Declaration,
  ) {
    super();
    const { name, title, description, inputSchema, annotations } = declaration;
    this.name = toolName(server.name, name);
    this.description = (description ?? title ?? name).slice(0, MAX_DESCRIPTION);
    this.input_schema = inputSchema;
    this.input = fitting(inputSchema);
    this.policy = toolPolicy(server.isTrusted ? annotations : {});
  }

  override summarize(input: unknown): string {
    return `Call ${this.declaration.name} of the MCP server ${this.server.name} with ${JSON.stringify(input)}`;
  }

  execute(input: Input, { signal, output, cut }: ToolContext): Promise<ToolOutput> {
    const mayRepeat = this.policy.recovery === 'rerun';
    return this.server.call(this.declaration.name, input, { signal, output, cut, mayRepeat });
  }
}

function fitting(schema: Declaration['inputSchema']): z.ZodType<Input> {
  const check = schemaCheck(schema);
  return z.looseObject({}).superRefine((value, context) => {
    const fault = check(value);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  });
}

/**
 * Maps the annotations of a server to a tool policy. The defaults are those of the protocol: a tool
 * without annotations writes, is destructive, is not idempotent, and has external effects.
 */
function toolPolicy(annotations: ToolAnnotations = {}): ToolPolicy {
  const { readOnlyHint = false, openWorldHint = true } = annotations;
  const { destructiveHint = true, idempotentHint = false } = annotations;
  const closed = readOnlyHint ? 'read' : 'write';
  return {
    category: openWorldHint ? 'network' : closed,
    read_only: readOnlyHint,
    risk: readOnlyHint ? 'low' : destructiveHint ? 'high' : 'medium',
    recovery: readOnlyHint || idempotentHint ? 'rerun' : 'report',
  };
}
