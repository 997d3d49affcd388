import { z } from 'zod';
import { blockId, count, eventError, finishReason, flag, json, model } from '../wire/fields.js';
import { replacedBlock, text, usage } from '../wire/fields.js';
import { isObjectText } from '../../kernel/json/bounded-json.js';

/** The names that providers accept for tools and calls. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

const block = { block_id: blockId, content: text };

const call = z.object({
  id: text.regex(NAME),
  type: z.literal('function'),
  function: z.object({
    name: text.regex(NAME),
    arguments: text.refine(isObjectText, 'is not a JSON object'),
  }),
});

/** An assistant message that a provider accepts back (I8). */
const message = z
  .object({
    role: z.literal('assistant'),
    content: text.nullable(),
    tool_calls: z.array(call).min(1).optional(),
    provider_data: json.optional(),
  })
  .refine(({ content, tool_calls }) => content !== null || tool_calls, 'has neither text nor calls')
  .refine(({ tool_calls = [] }) => areUnique(tool_calls), 'has two calls of one id');

export function modelRecords() {
  return {
    THINKING: {
      body: z.object({ type: z.literal('THINKING'), ...block }).meta({
        description: "The model's reasoning before its answer, where the provider sends it.",
        example: { block_id: '1b0', content: 'The user asks for a product.' },
      }),
    },
    MESSAGE: {
      body: z.object({ type: z.literal('MESSAGE'), ...block }).meta({
        description: 'Text of a turn that goes on (it also calls tools), or of a child agent.',
        example: { block_id: '1b1', content: 'I will calculate that.' },
      }),
      /** Not written by a model turn: what the agent's own code said joins the conversation. */
      hidden: z.object({ standalone: z.literal(true) }),
    },
    ANSWER: {
      body: z
        .object({
          type: z.literal('ANSWER'),
          ...block,
          partial: flag.describe('The interaction was cancelled midway.'),
          heard_ms: count
            .optional()
            .describe('It was spoken and interrupted: so much was played. `content` is its text.'),
          finish_reason: finishReason
            .optional()
            .describe('Why the model did not come to its end: `length` or `content_filter`.'),
          replaces: replacedBlock,
        })
        .meta({
          description: 'The final answer, if it is the last of its interaction.',
          example: { block_id: '1b3', content: '6 times 7 is 42.' },
        }),
      /** Not written by a model turn: a partial answer, or a string that the agent returned. */
      hidden: z.object({ standalone: z.literal(true) }),
    },
    TURN_COMPLETED: {
      body: z
        .object({
          type: z.literal('TURN_COMPLETED'),
          model,
          finish_reason: finishReason,
          usage,
          usage_estimated: flag.describe('The model API did not report the whole usage.'),
          duration_ms: z.number(),
          error: eventError.optional().describe('Why it failed; `finish_reason` is `error` then.'),
        })
        .meta({
          description: 'A model turn ended, in success or failure.',
          example: {
            model: 'demo/script',
            finish_reason: 'stop',
            usage: { input_tokens: 21, output_tokens: 9 },
            duration_ms: 480,
          },
        }),
      hidden: z.object({
        message,
        in_conversation: z
          .boolean()
          .describe("Whether the turn belongs to the agent's conversation."),
        estimated_tokens: z
          .number()
          .optional()
          .describe('The size of the request, as estimated before it was sent.'),
      }),
    },
  };
}

function areUnique(calls: readonly { id: string }[]): boolean {
  return new Set(calls.map(({ id }) => id)).size === calls.length;
}
