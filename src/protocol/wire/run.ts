import { z } from 'zod';
import type { Immutable } from '../json.js';
import {
  ACTIVE_STATUSES,
  FINAL_STATUSES,
  count,
  stoppedEffect,
  text,
  time,
  usage,
} from './fields.js';
import { components } from './components.js';
import { interaction, interactionStatus } from './interaction.js';
import { pageOf } from './page.js';
import { problem } from './problem.js';

/** Statuses of interactions that run, wait for a person, or are queued. */
export const RUN_STATUSES = ['QUEUED', ...ACTIVE_STATUSES] as const;

export const run = z
  .object({
    id: text,
    tenant_id: text.meta({ example: 'default' }),
    chat_id: text,
    status: interactionStatus,
    agent: text.meta({ example: 'react' }),
    agent_id: text.describe('Its root agent.'),
    model: text,
    started_by: text.meta({ description: 'The user who started it.', example: 'ann' }),
    is_cancelling: z.boolean().describe('A cancel was requested, and it has not ended yet.'),
    waits_for: text.nullable().meta({
      description:
        'What the server lacks, if it is parked until that is there again: `agent:<name>`, `model:<name>`, `tool:<name>`, or `folder`, the one of its chat.',
      example: 'agent:reviewer',
    }),
    usage: usage.describe('So far.'),
    last_seq: count,
    created_at: time,
  })
  .describe('An interaction as operators see it: without anything that was said.')
  .register(components, { id: 'Run' });

export const runList = pageOf(run, 'Oldest first.').register(components, { id: 'RunList' });

export const queue = z
  .object({
    items: z
      .array(interaction)
      .describe(
        'In the order in which they will run, the next one first; about 8 MiB at most. Without those that are being cancelled.',
      ),
  })
  .register(components, { id: 'Queue' });

export const cancelling = z
  .object({
    status: text.meta({ description: '`cancelling`, or how it ended.', example: 'cancelling' }),
    interaction_id: text,
    message: text,
    stopped: z
      .array(stoppedEffect)
      .optional()
      .describe('What was stopped; only when it was waited for.'),
  })
  .register(components, { id: 'Cancelling' });

export const alreadyEnded = problem
  .extend({ interaction_status: z.enum(FINAL_STATUSES).describe('How it had ended.') })
  .register(components, { id: 'AlreadyEnded' });

export const chatBusy = problem
  .extend({
    active_interaction_id: text.optional().meta({
      description: 'With `/problems/chat_busy`: the interaction that holds the chat.',
      example: 'int_0199c0de-0000-7000-8000-000000000000',
    }),
    active_status: z
      .enum(RUN_STATUSES)
      .optional()
      .describe('Of that interaction: with one of the last two, it waits for a person.'),
  })
  .register(components, { id: 'ChatBusy' });

const cancelledRun = z
  .object({
    interaction_id: text,
    tenant_id: text
      .optional()
      .meta({ description: 'Unless it was not found.', example: 'default' }),
    outcome: z
      .enum(['cancelling', 'already_ended', 'not_found'])
      .describe('`cancelling`: it is being stopped.'),
    status: interactionStatus.nullable().describe('At that time; null: not found.'),
  })
  .register(components, { id: 'CancelledRun' });

export const cancelledRuns = z
  .object({
    items: z.array(cancelledRun).describe('In the order of the request.'),
    has_more: z.boolean().describe('`all` was too many for one request: send it again.'),
  })
  .register(components, { id: 'CancelledRuns' });

/** An interaction as operators see it: without anything that was said. */
export type ListedRun = Immutable<z.infer<typeof run>>;
export type RunPage = Immutable<z.infer<typeof runList>>;
export type Cancelling = Immutable<z.infer<typeof cancelling>>;
export type CancelledRun = Immutable<z.infer<typeof cancelledRun>>;
export type CancelledRuns = Immutable<z.infer<typeof cancelledRuns>>;
export type Queue = Immutable<z.infer<typeof queue>>;
