import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import { ExactNumber, exactJson } from '../kernel/json/exact-json.js';
import { canonicalJson, isObject } from '../kernel/json/json.js';
import type { Sliced } from '../kernel/async/sliced.js';
import { Tool } from '../tools/core/tool.js';
import type { ToolOutput } from '../tools/core/tool-output.js';
import type { ToolContext, ToolPolicy } from '../tools/core/tool.js';
import { nameOf, readDeclaration } from './reading/declaration.js';
import type { Declaration } from './reading/declaration.js';
import type { McpConnection } from './mcp-connection.js';
import { schemaCheck } from './reading/schema-check.js';
import { toolName } from './reading/tool-name.js';
import { cutText } from '../kernel/text/cut-text.js';

/** Maximum number of tools of one server. A longer list degrades a model's choice. */
const MAX_TOOLS = 200;
/**
 * Maximum characters of the descriptions and schemas of one server's tools together: all of them
 * are sent with each request to a model.
 */
const MAX_CHARACTERS = 500_000;

export interface OfferedTools {
  readonly tools: readonly McpTool[];
  /** Reasons why tools can't be used. */
  readonly problems: readonly string[];
}

/** The tools that can be used, in the order of their declarations. */
export function* offeredTools(
  server: McpConnection,
  declarations: readonly unknown[],
): Sliced<OfferedTools> {
  const tools: McpTool[] = [];
  const problems: string[] = [];
  let size = 0;
  for (const declaration of declarations.slice(0, MAX_TOOLS)) {
    yield;
    try {
      const tool = new McpTool(server, readDeclaration(declaration));
      size += tool.description.length + exactJson(tool.input_schema).length;
      if (size > MAX_CHARACTERS) {
        const shown = `the first ${tools.length} are offered`;
        problems.push(`its tools have more than ${MAX_CHARACTERS} characters together; ${shown}`);
        return { tools, problems };
      }
      tools.push(tool);
    } catch (error) {
      problems.push(`${nameOf(declaration)}: ${(error as Error).message}`);
    }
  }
  if (declarations.length > MAX_TOOLS)
    problems.push(`it has ${declarations.length} tools; the first ${MAX_TOOLS} are offered`);
  return { tools, problems };
}

type Input = Readonly<Record<string, unknown>>;

/** In characters. */
const MAX_DESCRIPTION = 10_000;

/** A tool of an MCP server. */
class McpTool extends Tool<Input> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  override readonly input_schema: Readonly<Record<string, unknown>>;
  readonly policy: ToolPolicy;
  override readonly exact_numbers = true;
  override readonly declared: string;

  constructor(
    private readonly server: McpConnection,
    private readonly declaration: Declaration,
  ) {
    super();
    const { name, title, description, inputSchema, annotations } = declaration;
    this.name = toolName(server.name, name);
    this.description = cutText(description ?? title ?? name, MAX_DESCRIPTION);
    this.input_schema = inputSchema;
    this.input = fitting(inputSchema);
    this.policy = toolPolicy(server.isTrusted ? annotations : {});
    const shown = [this.description, rounded(inputSchema), this.policy];
    this.declared = createHash('sha256').update(canonicalJson(shown)).digest('base64url');
  }

  override summarize(input: unknown): string {
    return `Call ${this.declaration.name} of the MCP server ${this.server.name} with ${exactJson(input)}`;
  }

  execute(input: Input, { signal, output, cut }: ToolContext): Promise<ToolOutput> {
    const mayRepeat = this.policy.recovery === 'rerun';
    return this.server.call(this.declaration.name, input, { signal, output, cut, mayRepeat });
  }
}

function fitting(schema: Declaration['inputSchema']): z.ZodType<Input> {
  const check = schemaCheck(rounded(schema) as typeof schema);
  return z.looseObject({}).superRefine((value, context) => {
    const fault = check(rounded(value));
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  });
}

/** With doubles in place of exact numbers, for a check of types and limits. */
function rounded(value: unknown): unknown {
  if (value instanceof ExactNumber) return finite(Number(value.text));
  if (Array.isArray(value)) return value.map(rounded);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, rounded(item)]));
}

function finite(number: number): number {
  return Math.min(Math.max(number, -Number.MAX_VALUE), Number.MAX_VALUE);
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
