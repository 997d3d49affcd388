import { z } from 'zod';
import type { RecordOf, RecordType } from '../../protocol/events.js';
import { FINAL_STATUSES } from '../../protocol/interaction.js';
import { TASK_STATUSES } from '../../protocol/task.js';
import { count, errorFields, json, time, usage } from './fields.js';
import { decider } from './line-fields.js';

const text = z.string();
const blockId = text.regex(/^[a-z0-9]{1,32}$/);
const block = z.object({ block_id: blockId, content: text });
const yes = z.literal(true).optional();
const verdict = z.object({
  approval_id: text,
  tool_call_id: text,
  by: decider,
  reason: text.optional(),
});

const task = z.object({
  id: text,
  chat_id: text,
  title: text,
  description: text.nullable(),
  status: z.enum(TASK_STATUSES),
  version: count,
  agent_id: text.nullable(),
  created_at: time,
  updated_at: time,
});

const stopped = z.object({
  kind: z.enum(['agent', 'model', 'tool']),
  name: text,
  id: text.optional(),
  state: z.enum(['stopped', 'unknown']),
});

/** What each event has, besides its type; the compiler sees to it that none is missing. */
export const RECORD_FIELDS: {
  readonly [T in RecordType]: z.ZodType<Omit<RecordOf<T>, 'type'>>;
} = {
  INTERACTION_STARTED: z.object({
    chat_id: text,
    user_message: text,
    agent: text,
    model: text,
    parent_id: text.nullable(),
    edited_from: text.optional(),
  }),
  THINKING: block,
  MESSAGE: block,
  ANSWER: block.extend({ partial: yes }),
  TOOL_CALL: z.object({
    id: text,
    block_id: blockId,
    tool_name: text,
    tool_input: text,
    parent_tool_call_id: text.optional(),
  }),
  TOOL_STARTED: z.object({ id: text, tool_name: text }),
  TOOL_RESULT: z.object({
    id: text,
    block_id: blockId.optional(),
    tool_name: text,
    tool_output: text,
    is_error: z.boolean(),
    duration_ms: z.number(),
    truncated: yes,
  }),
  APPROVAL_REQUIRED: z.object({
    approval_id: text,
    tool_call_id: text,
    tool_name: text,
    tool_input: text,
    action: text,
    category: text,
    risk: text,
    reason: text,
    expires_at: time.nullable(),
  }),
  APPROVED: verdict.extend({ modified_input: json.optional() }),
  REJECTED: verdict,
  INPUT_REQUIRED: z.object({
    request_id: text,
    question: text,
    options: z.array(text).optional(),
    expires_at: time.nullable(),
  }),
  INPUT_RECEIVED: z.object({ request_id: text, answer: text.nullable() }),
  TOOL_RESULT_REQUIRED: z.object({
    request_id: text,
    tool_call_id: text,
    tool_name: text,
    tool_input: text,
  }),
  TURN_COMPLETED: z.object({
    model: text,
    finish_reason: z.enum(['stop', 'tool_calls', 'length', 'content_filter', 'error']),
    usage,
    duration_ms: z.number(),
    error: errorFields.optional(),
  }),
  STEP_COMPLETED: z.object({ name: text }),
  TASK_UPDATED: z.object({ task, deleted: yes }),
  AGENT_STARTED: z.object({
    parent_agent_id: text,
    agent_type: text,
    prompt: text,
    tool_call_id: text.optional(),
  }),
  AGENT_COMPLETED: z.object({
    status: z.enum(['completed', 'error', 'cancelled']),
    result: text,
  }),
  AGENT_INTERVENED: z.object({
    intervention_id: text,
    user_comment: text,
    user_content: text.optional(),
  }),
  NOTICE: z.object({ code: text, message: text, void: z.array(blockId).optional() }),
  RESUMED: z.object({ attempt: count, reason: text }),
  CANCELLED: z.object({ reason: text, stopped: z.array(stopped) }),
  ERROR: errorFields,
  INTERACTION_COMPLETE: z.object({ status: z.enum(FINAL_STATUSES) }),
};
