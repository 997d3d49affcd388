import { z } from 'zod';
import { components } from './components.js';
import type { Immutable } from '../json.js';
import { cause, count, decider, json, text, time } from './fields.js';
import { pageOf } from './page.js';

export const REQUEST_KINDS = ['approval', 'input', 'tool'] as const;
export const REQUEST_STATUSES = ['pending', 'settled', 'closed'] as const;

const redactedCounts = z
  .record(text, count)
  .describe('What was redacted in its texts, by the name of the pattern.');
const ofApproval = 'Of an approval.';
const ofClientTool = 'Of a tool that the client runs.';

const settlement = z
  .object({
    kind: z.enum(REQUEST_KINDS),
    by: decider,
    cause: cause.optional(),
    redacted: redactedCounts.optional(),
    approved: z.boolean().optional().describe(ofApproval),
    reason: text.optional().describe('Of an approval: why.'),
    modified_input: json
      .optional()
      .describe('Of an approval: the input that runs instead of the model’s.'),
    answer: text
      .nullable()
      .optional()
      .describe('Of a question; null: declined, or not answered in time.'),
    tool_output: text.optional().describe(ofClientTool),
    is_error: z.boolean().optional().describe(ofClientTool),
  })
  .describe('The outcome of a request.')
  .register(components, { id: 'Settlement' });

export const request = z
  .object({
    id: text.describe('The `approval_id` or `request_id`.'),
    kind: z.enum(REQUEST_KINDS),
    status: z.enum(REQUEST_STATUSES).describe('`closed`: its interaction ended first.'),
    chat_id: text,
    interaction_id: text,
    agent_id: text.describe('The agent of the tree that asks.'),
    created_at: time,
    expires_at: time.nullable().describe('null: never.'),
    settled_at: time
      .nullable()
      .describe('When it was settled or closed; null while it is pending.'),
    settlement: settlement
      .nullable()
      .describe('null while it is pending, or when its interaction ended first.'),
    approval_id: text.optional().describe('Of an approval: the same as `id`.'),
    request_id: text.optional().describe('Of a question or a tool: the same as `id`.'),
    tool_call_id: text
      .optional()
      .describe('Of an approval or a tool, and of a question that a tool asks.'),
    tool_name: text.optional().meta({ description: 'Of an approval or a tool.', example: 'bash' }),
    tool_input: text.optional().meta({
      description: 'Of an approval or a tool: JSON text as the model wrote it.',
      example: '{"command":"git log"}',
    }),
    action: text.optional().describe('Of an approval: what the call would do.'),
    category: text.optional().describe('Of an approval: the category of the tool.'),
    risk: z.enum(['low', 'medium', 'high']).optional().describe(ofApproval),
    reason: text.optional().describe('Of an approval: why it is asked.'),
    question: text.optional().describe('Of a question.'),
    options: z.array(text).optional().describe('Of a question: what may be chosen.'),
  })
  .describe('A request: its own fields, and those of its event, which depend on its kind.')
  .register(components, { id: 'Request' });

export const requestList = pageOf(request, 'Oldest first.').register(components, {
  id: 'RequestList',
});

/** A request as the inbox shows it: the fields of its event beside its own. */
export type RequestView = Immutable<z.infer<typeof request>>;
export type RequestList = Immutable<z.infer<typeof requestList>>;
export type RequestKind = (typeof REQUEST_KINDS)[number];
/** `closed`: its interaction ended before the request was settled. */
export type RequestStatus = (typeof REQUEST_STATUSES)[number];
