import { z } from 'zod';
import type { AnswerJournal, TurnJournal } from '../../agents/runtime/conversation.js';
import type { DeferredJournal } from '../../agents/runtime/deferred-call.js';
import type { RecordType } from '../../protocol/events.js';
import type { AssistantMessage } from '../../protocol/message.js';
import type { ToolJournal } from '../../tools/tool-output.js';
import { json } from './fields.js';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

const call = z.object({
  id: z.string().regex(NAME),
  type: z.literal('function'),
  function: z.object({
    name: z.string().regex(NAME),
    arguments: z.string().refine(isObject, 'is no JSON object'),
  }),
});

/** One that a provider takes back (I8). */
const message: z.ZodType<AssistantMessage> = z
  .object({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    tool_calls: z.array(call).min(1).optional(),
    provider_data: json.optional(),
  })
  .refine(({ content, tool_calls }) => content !== null || tool_calls, 'has neither text nor calls')
  .refine(({ tool_calls = [] }) => areUnique(tool_calls), 'has two calls of one id');

const turn: z.ZodType<TurnJournal> = z.object({ message, in_conversation: z.boolean() });
const answer: z.ZodType<AnswerJournal> = z.object({ standalone: z.literal(true) });
const deferred: z.ZodType<DeferredJournal> = z.object({
  deferred: z.string(),
  key: z.string(),
  note: z.string(),
});
const result: z.ZodType<ToolJournal> = z.object({
  seen: z.object({ path: z.string(), hash: z.string() }).optional(),
});
const refusal = z.strictObject({ code: z.string() });

/** What these hide goes into conversations, or is asked for later. What others hide is only read by a run, and what is imported has none. */
export const HIDDEN_FIELDS: { readonly [T in RecordType]?: z.ZodType } = {
  TURN_COMPLETED: turn.nullable(),
  ANSWER: answer.nullable(),
  NOTICE: z.union([deferred, refusal, z.null()], 'is nothing that a notice hides'),
  TOOL_RESULT: result.nullable(),
  TOOL_STARTED: z.unknown().transform(() => null),
};

function areUnique(calls: readonly { id: string }[]): boolean {
  return new Set(calls.map(({ id }) => id)).size === calls.length;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
