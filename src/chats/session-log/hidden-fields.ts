import { z } from 'zod';
import type { ContextJournal } from '../../runs/context-window/context-marks.js';
import { IMAGE_TYPES } from '../../protocol/image.js';
import type { Image } from '../../protocol/image.js';
import { judgementOf } from '../../guardrails/input-judgement.js';
import type { GuardedJournal } from '../../guardrails/input-judgement.js';
import type { RecordType } from '../../protocol/events.js';
import type { AssistantMessage } from '../../protocol/message.js';
import type { ToolJournal } from '../../tools/tool-output.js';
import { readImage } from '../../tools/images/read-image.js';
import { count, json } from './fields.js';
import type { AnswerJournal, TurnJournal, DeferredJournal } from '../../conversation/hidden.js';

/** Characters of base64. */
const MAX_IMAGE_TEXT = 2 * 1024 * 1024;
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

const turn: z.ZodType<TurnJournal> = z.object({
  message,
  in_conversation: z.boolean(),
  estimated_tokens: z.number().optional(),
});
const answer: z.ZodType<AnswerJournal> = z.object({ standalone: z.literal(true) });
const deferred: z.ZodType<DeferredJournal> = z.object({
  deferred: z.string(),
  key: z.string(),
  note: z.string(),
});
const image: z.ZodType<Image> = z
  .object({ media_type: z.enum(IMAGE_TYPES), data: z.string() })
  .refine(isShowable, 'is no image that a model can be shown');
const result: z.ZodType<ToolJournal> = z.object({
  seen: z.object({ path: z.string(), hash: z.string() }).optional(),
  images: z.array(image).optional(),
  whole: z.string().optional(),
});
const guarded: z.ZodType<GuardedJournal> = z.object({
  guarded: z.object({
    text: z.string().optional(),
    remarks: z.array(z.string()),
    tripwire: z.string().optional(),
  }),
});
const context: z.ZodType<ContextJournal> = z.object({
  context: z.object({
    from: count,
    summary: z.string().nullable(),
    references_before: count,
    digest: z.string(),
  }),
});
const refusal = z.strictObject({ code: z.string() });

/** What guardrails have said of it, or whatever else it hides. */
const judged = z.union([guarded, z.unknown().refine((hidden) => !judgementOf(hidden))]);

/** What these hide goes into conversations, or is asked for later. What others hide is only read by a run, and what is imported has none. */
export const HIDDEN_FIELDS: { readonly [T in RecordType]?: z.ZodType } = {
  TURN_COMPLETED: turn.nullable(),
  ANSWER: answer.nullable(),
  NOTICE: z.union([deferred, context, refusal, z.null()], 'is nothing that a notice hides'),
  TOOL_RESULT: result.nullable(),
  STEP_COMPLETED: judged,
  AGENT_INTERVENED: judged,
  TOOL_STARTED: z.unknown().transform(() => null),
};

function areUnique(calls: readonly { id: string }[]): boolean {
  return new Set(calls.map(({ id }) => id)).size === calls.length;
}

/** As a tool that has read its bytes would have it. */
function isShowable({ media_type, data }: Image): boolean {
  if (data.length > MAX_IMAGE_TEXT) return false;
  const read = readImage(Buffer.from(data, 'base64'));
  return read?.ok === true && read.image.media_type === media_type && read.image.data === data;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
