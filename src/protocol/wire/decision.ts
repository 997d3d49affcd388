import { z } from 'zod';
import type { Immutable } from '../json.js';
import { cause, decider, text, time } from './fields.js';
import { components } from './components.js';
import { problem } from './problem.js';
import { rule, ruleInput } from './rule.js';

const processed = z.literal('processed');

export const decided = z
  .object({
    status: processed,
    approval_id: text,
    approved: z.boolean(),
    rule: rule
      .nullable()
      .optional()
      .describe(
        'With `remember`: the rule that decides such calls from now on. null: the verdict counts, but the rule could not be added.',
      ),
    reason: text.optional().describe('Why there is no rule.'),
  })
  .register(components, { id: 'Decided' });

export const rulePreview = z
  .object({
    rule: ruleInput
      .nullable()
      .describe('What the verdict would add; null: no rule of that scope would decide such calls.'),
    decides: z
      .array(z.int().min(0))
      .describe('Which of `calls` the rule would decide, counted from 0.'),
  })
  .register(components, { id: 'RulePreview' });

export const responded = z
  .object({ status: processed, request_id: text })
  .register(components, { id: 'Responded' });

export const toolResultTaken = z
  .object({ status: processed, tool_call_id: text })
  .register(components, { id: 'ToolResultTaken' });

const decision = z.object({
  by: decider,
  cause: cause.optional(),
  at: time,
  approved: z.boolean().optional().describe('Of an approval.'),
});

export const notSettled = problem
  .extend({
    decision: decision
      .optional()
      .describe('With `/problems/already_processed`: the decision that counts, if there is one.'),
  })
  .describe('A request that can’t be settled.')
  .register(components, { id: 'NotSettled' });

export type Decided = Immutable<z.infer<typeof decided>>;
export type RulePreview = Immutable<z.infer<typeof rulePreview>>;
export type Responded = Immutable<z.infer<typeof responded>>;
export type ToolResultTaken = Immutable<z.infer<typeof toolResultTaken>>;
