import { z } from 'zod';
import { IMAGE_TYPES } from '../message.js';
import { components } from './components.js';
import { MAX_THINKING_BUDGET, MIN_THINKING_BUDGET, THINKING_EFFORTS } from '../thinking.js';
import type { Thinking } from '../thinking.js';

export const ACTIVE_STATUSES = ['RUNNING', 'WAITING_APPROVAL', 'WAITING_INPUT'] as const;
export const FINAL_STATUSES = ['COMPLETED', 'FAILED', 'CANCELLED'] as const;
export const VISIBILITIES = ['private', 'tenant'] as const;

const MAX_COUNT = 2 ** 31 - 2;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export const text = z.string();

/** An integer that every store can hold. */
export const count = z.int().min(0).max(MAX_COUNT);

const tokens = z.int().min(0);

/** ISO 8601 in UTC, with milliseconds, as the server writes it. */
export const time = text
  .refine(isTime, 'is not a time such as 2026-01-15T10:00:00.000Z')
  .meta({ format: 'date-time', description: 'ISO 8601 in UTC.' });

export const expiry = time
  .nullable()
  .describe('ISO 8601 in UTC; null: the request does not expire.');

export const json = z.record(text, z.unknown());

/** A flag that is either true or left out. */
export const flag = z.literal(true).optional();

export const blockId = text
  .regex(/^[a-z0-9]{1,32}$/)
  .describe('Unique within the interaction, across retries and resumed runs.');

export const replacedBlock = blockId
  .optional()
  .describe('The block of an earlier text of the agent, in whose place this one stands.');

export const model = text.describe('`<provider>/<name>`');

export const usage = z
  .object({
    input_tokens: tokens,
    output_tokens: tokens,
    cached_tokens: tokens
      .optional()
      .describe('Of the input, those that the provider read from its cache, where it says so.'),
    cache_write_tokens: tokens
      .optional()
      .describe('Of the input, those that the provider wrote to its cache, where it says so.'),
    reasoning_tokens: tokens
      .optional()
      .describe('Of the output, those that the model thought with, where the provider says so.'),
    cost_usd: z
      .number()
      .min(0)
      .max(Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('US dollars, of the turns of models that had a price.'),
  })
  .describe('Tokens and cost, summed over all model turns that it is about.')
  .register(components, { id: 'Usage' });

export const eventError = z
  .object({ code: text.describe('Stable, for programs.'), message: text })
  .describe('Why something failed.')
  .register(components, { id: 'EventError' });

export const decider = z
  .object({ kind: z.enum(['user', 'system']), user_id: text.optional().describe('Of a user.') })
  .refine(({ kind, user_id }) => (kind === 'user') === (user_id !== undefined), {
    path: ['user_id'],
    message: 'has to be there for a user, and only then',
  })
  .describe('Who decided: a user, or the server itself.')
  .register(components, { id: 'Decider' });

export const cause = z
  .enum(['timeout', 'cancel'])
  .describe(
    'Why the server decided: `timeout`, no decision came in time; `cancel`, the answer is no longer needed.',
  )
  .register(components, { id: 'Cause' });

export const agentStatus = z
  .enum(['completed', 'error', 'cancelled'])
  .describe(
    'How a child agent ended. `cancelled`: with its interaction, or because its result is no longer needed.',
  )
  .register(components, { id: 'AgentStatus' });

export const finishReason = z
  .enum(['stop', 'tool_calls', 'length', 'content_filter', 'error'])
  .describe('Why the model stopped. `error`: the turn failed.')
  .register(components, { id: 'FinishReason' });

export const stoppedEffect = z
  .object({
    kind: z.enum(['agent', 'model', 'tool']),
    name: text,
    id: text.optional(),
    state: z
      .enum(['stopped', 'unknown'])
      .describe('`unknown`: it ran on a host that was lost, or did not stop when told to.'),
  })
  .describe('Something that a cancel ended: a child agent, a model request or a tool call.')
  .register(components, { id: 'StoppedEffect' });

export const budget = z
  .object({
    tokens: count.optional().describe('Of input and output together.'),
    tool_calls: count.optional(),
    wall_time_ms: count
      .optional()
      .describe('Milliseconds of work, without waiting for people and without lost runs.'),
    cost_usd: z.number().optional().describe('US dollars, of models with a known price.'),
  })
  .describe('Limits for an agent and all below it; a field that is left out sets no limit.')
  .register(components, { id: 'Budget' });

const thinkingBudget = z.strictObject({
  budget_tokens: z.int().min(MIN_THINKING_BUDGET).max(MAX_THINKING_BUDGET),
});

export const thinking: z.ZodType<Thinking> = z.union([z.enum(THINKING_EFFORTS), thinkingBudget]);

const mediaType = z.enum(IMAGE_TYPES);

export const image = z.object({ media_type: mediaType, data: text });

/** An image as readers are told of it. */
export const imageInfo = z
  .object({ media_type: mediaType, size_bytes: count })
  .register(components, { id: 'ImageInfo' });

/** The verdict of the guardrails on text that a person wrote. */

export const guarded = z.object({
  guarded: z.object({
    text: text.optional().describe('Read in place of the original.'),
    remarks: z.array(text).describe('Sent to readers.'),
    tripwire: text.optional().describe('Why the run ends.'),
  }),
});

function isTime(value: string): boolean {
  if (!ISO_TIME.test(value)) return false;
  const at = Date.parse(value);
  return at >= 0 && new Date(at).toISOString() === value;
}
