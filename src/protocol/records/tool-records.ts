import { z } from 'zod';
import { blockId, flag, image, imageInfo, json, text, decider } from '../wire/fields.js';

const toolInput = text.describe('JSON text as the model wrote it, well-formed or not.');

export function toolRecords() {
  return {
    TOOL_CALL: {
      body: z
        .object({
          type: z.literal('TOOL_CALL'),
          id: text,
          block_id: blockId,
          tool_name: text,
          tool_input: toolInput,
          parent_tool_call_id: text.optional().describe('The call whose tool made this call.'),
        })
        .meta({
          description: 'The model requests a tool call.',
          example: {
            id: 'call_1',
            block_id: '1b2',
            tool_name: 'calculator',
            tool_input: '{"expression":"6*7"}',
          },
        }),
      /** A guardrail has changed the arguments, so the call must not run. */
      hidden: z.object({ withheld: z.literal(true) }),
    },
    TOOL_STARTED: {
      body: z.object({ type: z.literal('TOOL_STARTED'), id: text, tool_name: text }).meta({
        description: "The tool's side effect begins now.",
        example: { id: 'call_1', tool_name: 'calculator' },
      }),
      hidden: z.object({
        recovery: z
          .enum(['rerun', 'replay', 'report'])
          .describe(
            'Of the tool as it was started: after a crash it counts, also if the tool is gone.',
          ),
        trace: z
          .object({
            host: text.describe('Where the pid is valid.'),
            pid: z.int().describe('Of the first process, and so of its group and session.'),
            started_at: z.int().describe('Clock ticks since the host was started.'),
            marker: text.describe('In the environment of every process that it started.'),
          })
          .optional()
          .describe('Finds the processes of the tool after a crash; of use on the same host only.'),
      }),
    },
    TOOL_RESULT: {
      body: z
        .object({
          type: z.literal('TOOL_RESULT'),
          id: text,
          block_id: blockId
            .optional()
            .describe('The block of its output deltas, if there were any.'),
          tool_name: text,
          tool_output: text,
          is_error: z.boolean(),
          duration_ms: z.number(),
          truncated: flag.describe('The output was longer than `TOOL_OUTPUT_LIMIT`.'),
          data: json
            .optional()
            .describe('For programs: exit code, diff, matches, … The model does not read it.'),
          images: z
            .array(imageInfo)
            .optional()
            .describe(
              'That the tool has shown: `GET …/interactions/{interaction_id}/records/{seq}/images/{index}` has the bytes.',
            ),
        })
        .meta({
          description: 'The result of a call as the model reads it; each call has exactly one.',
          example: {
            id: 'call_1',
            tool_name: 'calculator',
            tool_output: '42',
            is_error: false,
            duration_ms: 3,
          },
        }),
      hidden: z.object({
        seen: z
          .object({ path: text, hash: text })
          .optional()
          .describe('The file that the call has read or written, as it was then.'),
        images: z
          .array(image)
          .optional()
          .describe('Shown with the text to a model that accepts images; made with `readImage`.'),
        whole: text
          .optional()
          .describe('The output, where it is longer than what the model gets to see at once.'),
        tripwire: text.optional().describe('Why the run ends with this result.'),
        deferred: text
          .optional()
          .describe('The approval that the call waits for; the agent goes on without its outcome.'),
        by: decider.optional().describe('Who sent it, if a client ran the call.'),
      }),
    },
  };
}
