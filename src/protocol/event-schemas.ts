import { z } from 'zod';
import { blockId, count, text } from './records/fields.js';

export const deltaType = z.enum([
  'TEXT_DELTA',
  'THINKING_DELTA',
  'TOOL_INPUT_DELTA',
  'TOOL_OUTPUT_DELTA',
]);

export const delta = z.object({
  type: deltaType,
  block_id: blockId,
  offset: count.describe("In UTF-16 code units, from the block's start."),
  delta: text,
  tool_call_id: text.optional().describe('Of the tool deltas only.'),
});

export const trace = z.object({ type: z.literal('TRACE'), name: text, detail: z.unknown() });
