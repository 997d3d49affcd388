import { z } from 'zod';
import { cause, decider, expiry, guarded, json, text } from '../wire/fields.js';

const settled = { by: decider, cause: cause.optional() };
const verdict = { approval_id: text, tool_call_id: text, ...settled, reason: text.optional() };
const byAnn = { kind: 'user', user_id: 'ann' };
const verdictExample = { approval_id: 'approval_1', tool_call_id: 'call_1', by: byAnn };
const toolInput = text.describe('JSON text as the model wrote it.');

export function requestRecords() {
  return {
    APPROVAL_REQUIRED: {
      body: z
        .object({
          type: z.literal('APPROVAL_REQUIRED'),
          approval_id: text,
          tool_call_id: text,
          tool_name: text,
          tool_input: toolInput,
          action: text.describe('What the call would do, for people.'),
          category: text,
          risk: text,
          reason: text.describe('Why approval is required.'),
          expires_at: expiry,
        })
        .meta({
          description: 'A person has to decide before this call runs.',
          example: {
            approval_id: 'approval_1',
            tool_call_id: 'call_1',
            tool_name: 'bash',
            tool_input: '{"command":"npm test"}',
            action: 'Run npm test',
            category: 'execute',
            risk: 'medium',
            reason: 'No rule allows it.',
            expires_at: null,
          },
        }),
      hidden: z.object({
        declared: text.describe(
          'Of the tool that the person is asked about, as its server has it.',
        ),
      }),
    },
    APPROVED: {
      body: z
        .object({
          type: z.literal('APPROVED'),
          ...verdict,
          modified_input: json.optional().describe('Runs in place of what the model wrote.'),
        })
        .meta({ description: 'The call was approved.', example: verdictExample }),
    },
    REJECTED: {
      body: z.object({ type: z.literal('REJECTED'), ...verdict }).meta({
        description: 'The call was rejected; it does not run.',
        example: { ...verdictExample, reason: 'Not now.' },
      }),
    },
    INPUT_REQUIRED: {
      body: z
        .object({
          type: z.literal('INPUT_REQUIRED'),
          request_id: text,
          question: text,
          options: z.array(text).optional().describe('Suggested answers; others are accepted too.'),
          tool_call_id: text.optional().describe('The call that asks, if a tool does.'),
          expires_at: expiry,
        })
        .meta({
          description: 'The agent asks a person a question.',
          example: {
            request_id: 'input_1',
            question: 'Which city?',
            options: ['Bonn', 'Trier'],
            tool_call_id: 'call_1',
            expires_at: null,
          },
        }),
      /** Asked by the agent's own code: it joins the conversation, together with its answer. */
      hidden: z.object({ standalone: z.literal(true) }),
    },
    INPUT_RECEIVED: {
      body: z
        .object({
          type: z.literal('INPUT_RECEIVED'),
          request_id: text,
          answer: text.nullable().describe('null: declined, or not answered in time.'),
          ...settled,
        })
        .meta({
          description: 'The question is settled.',
          example: { request_id: 'input_1', answer: 'Bonn', by: byAnn },
        }),
      hidden: guarded,
    },
    TOOL_RESULT_REQUIRED: {
      body: z
        .object({
          type: z.literal('TOOL_RESULT_REQUIRED'),
          request_id: text,
          tool_call_id: text,
          tool_name: text,
          tool_input: toolInput,
        })
        .meta({
          description: 'The client runs this call and sends its result.',
          example: {
            request_id: 'input_2',
            tool_call_id: 'call_2',
            tool_name: 'open_page',
            tool_input: '{"page":"settings"}',
          },
        }),
    },
  };
}
