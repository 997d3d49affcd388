import { z } from 'zod';
import { blockId, count, text } from './wire/fields.js';

/** The part of the log that `Interaction.agent_events` shows. */
export const AGENT_EVENT_TYPES = [
  'TOOL_CALL',
  'TOOL_RESULT',
  'THINKING',
  'MESSAGE',
  'ANSWER',
] as const;

export const deltaType = z.enum([
  'TEXT_DELTA',
  'THINKING_DELTA',
  'TOOL_INPUT_DELTA',
  'TOOL_OUTPUT_DELTA',
]);

export const delta = z
  .object({
    type: deltaType,
    block_id: blockId,
    offset: count.describe("In UTF-16 code units, from the block's start."),
    delta: text,
    tool_call_id: text.optional().describe('Of the tool deltas only.'),
  })
  .meta({
    description: 'A fragment of a block. It is not saved: one record holds the whole block later.',
    example: { block_id: '1b3', offset: 0, delta: '6 times ' },
  });

export const trace = z.object({ type: z.literal('TRACE'), name: text, detail: z.unknown() }).meta({
  description:
    'A provider event of a type that the server does not interpret; sent with `?trace=1` only.',
  example: { name: 'response.rate_limits', detail: { remaining: 10 } },
});
