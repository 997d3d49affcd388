import { z } from 'zod';
import type { Immutable } from '../protocol/json.js';
import { json, text, time } from '../protocol/wire/fields.js';
import { components } from '../protocol/wire/components.js';

const category = z.enum(['read', 'write', 'execute', 'network', 'compute', 'human', 'agent']);

const retries = z
  .object({
    times: z.int().describe('How often at most.'),
    backoff_ms: z.int().describe('Milliseconds before the first; twice as long before each other.'),
  })
  .register(components, { id: 'ToolRetries' });

const policy = z
  .object({
    category,
    read_only: z.boolean().describe('It changes nothing.'),
    risk: z.enum(['low', 'medium', 'high']),
    recovery: z
      .enum(['rerun', 'replay', 'report'])
      .describe('What happens to a call that was running when the server was lost.'),
    requires_approval: z
      .boolean()
      .optional()
      .describe('A person has to approve unless a rule allows it, even if it only reads.'),
    retries: retries.optional().describe('A call that failed in a way that may pass is run again.'),
  })
  .register(components, { id: 'ToolPolicy' });

const tool = z
  .object({
    name: text.meta({ example: 'calculator' }),
    description: text,
    input_schema: json.describe('JSON Schema of its input.'),
    category,
    policy,
  })
  .register(components, { id: 'Tool' });

export const toolServer = z
  .object({
    name: text.meta({ example: 'files' }),
    state: z.enum(['connecting', 'ready', 'unavailable']),
    tools: z.int().describe('How many of its tools are offered.'),
    problem: text
      .nullable()
      .describe(
        'What is wrong with some of its tools, or that the server’s log has the reason; null without the scope `operate`.',
      ),
    since: time,
  })
  .describe('A server whose tools are offered here, and its state.')
  .register(components, { id: 'ToolServer' });

export const toolList = z
  .object({
    items: z.array(tool).describe('By name.'),
    servers: z.array(toolServer).describe('Where tools come from that can fail.'),
  })
  .register(components, { id: 'ToolList' });

export type ListedServer = Immutable<z.infer<typeof toolServer>>;
export type ToolList = Immutable<z.infer<typeof toolList>>;
