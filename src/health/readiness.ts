import { z } from 'zod';
import { VERSION } from '../kernel/version.js';
import type { Immutable } from '../protocol/json.js';
import { text, time } from '../protocol/wire/fields.js';
import { components } from '../protocol/wire/components.js';
import { problem } from '../protocol/wire/problem.js';
import { toolServer } from '../tools/listed-tools.js';

export const liveness = z
  .object({ status: text.meta({ example: 'ok' }) })
  .register(components, { id: 'Liveness' });

export const notReady = problem
  .extend({
    dependency: text.meta({ description: 'The unavailable dependency.', example: 'database' }),
    since: time,
  })
  .register(components, { id: 'NotReady' });

const sandbox = z
  .object({
    kind: z.enum(['bubblewrap', 'none', 'missing']),
    description: text.meta({ example: 'bubblewrap: only the workspace is writable, no network' }),
  })
  .register(components, { id: 'Sandbox' });

const outage = z
  .object({
    dependency: text.meta({
      description: '`redis`, `token issuer`, `webhook receiver`, or `tools of <MCP server>`',
      example: 'redis',
    }),
    since: time,
    detail: text.optional().meta({
      description: 'Of the webhook receiver: its last fault, and the webhooks that are kept.',
      example: 'answered 503; waiting: 12, given up: 0',
    }),
  })
  .register(components, { id: 'Outage' });

export const readiness = z
  .object({
    status: z.enum(['ok', 'degraded']),
    version: text
      .optional()
      .meta({ description: 'Of the server; with any credential.', example: VERSION }),
    degraded: z
      .array(outage)
      .optional()
      .describe('Unavailable dependencies that the server can work without for a while.'),
    sandbox: sandbox.optional().describe('Confines the commands of agents.'),
    tool_servers: z.array(toolServer).optional().describe('Sources of tools that can fail.'),
  })
  .register(components, { id: 'Readiness' });

export type Liveness = Immutable<z.infer<typeof liveness>>;
export type Outage = Immutable<z.infer<typeof outage>>;
export type Readiness = Immutable<z.infer<typeof readiness>>;
