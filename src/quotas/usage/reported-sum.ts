import { z } from 'zod';
import type { Immutable } from '../../protocol/json.js';
import { text, usage } from '../../protocol/wire/fields.js';
import { components } from '../../protocol/wire/components.js';

const date = text.meta({ format: 'date', description: 'In UTC.' });

const reportedSum = z
  .object({
    tenant_id: text.meta({ example: 'default' }),
    day: date.optional().meta({ example: '2026-01-15' }),
    model: text.optional().meta({
      description:
        'Of the turns. An interaction without any counts at the one that it was started with.',
      example: 'openai/gpt-5-mini',
    }),
    user_id: text.optional().meta({ description: 'Who started the interactions.', example: 'ann' }),
    interactions: z
      .int()
      .describe(
        'Those that were started; by model, those in which it had a turn: one with several counts at each.',
      ),
    usage,
    unpriced_tokens: z
      .int()
      .describe('Input and output of turns whose price was not known: no `cost_usd` has them.'),
  })
  .describe('A sum with its key as a field of its own: `day`, `model` or `user_id`.')
  .register(components, { id: 'UsageSum' });

export const report = z
  .object({
    since: date,
    until: date,
    items: z
      .array(reportedSum)
      .describe('The latest days first, then what cost most, then what has most tokens.'),
    has_more: z.boolean().describe('There are more than `limit`.'),
  })
  .register(components, { id: 'UsageReport' });

export type ReportedSum = Immutable<z.infer<typeof reportedSum>>;
export type Report = Immutable<z.infer<typeof report>>;
