/// <reference lib="es2024.string" />
import { z } from 'zod';
import { isSealed } from '../../encryption/sealed-text.js';
import type { Settlement } from '../../persistence/rows/request-rows.js';
import type { InteractionSettings } from '../../persistence/rows/interaction-row.js';
import {
  MAX_CONTEXT_MESSAGES,
  MAX_SYSTEM_PROMPT,
  MAX_WORKSPACE,
  APPROVAL_MODES,
} from '../../protocol/chat-settings.js';
import { MAX_KEPT_MESSAGES } from '../check-messages.js';
import { MAX_OUTPUT_TOKENS, MAX_TEMPERATURE } from '../../protocol/sampling.js';
import { ACTIVE_STATUSES, FINAL_STATUSES } from '../../protocol/wire/fields.js';
import {
  budget,
  cause,
  count,
  decider,
  eventError,
  json,
  thinking,
  time,
  usage,
} from '../../protocol/wire/fields.js';
import { cutText } from '../../kernel/text/cut-text.js';
import type { ChatSettings } from '../../protocol/wire/chat.js';

/** Version of the format that docs/session-log.md describes. */
export const SESSION_LOG_VERSION = 1;

const MAX_METADATA = 16_384;

/** An id or a name within the log. */
const id = column(200);

const metadata = json
  .refine(
    (value) => JSON.stringify(value).length <= MAX_METADATA,
    `has more than ${MAX_METADATA} characters of JSON`,
  )
  .refine(({ enc }) => !isSealed(enc), 'begins like encrypted text, with U+0001');

const chatSettings = z.object({
  agent: column(64).optional(),
  model: column(200).optional(),
  thinking: thinking.optional(),
  approval_mode: z.enum(APPROVAL_MODES).optional(),
  max_iterations: count.min(1).max(1_000).optional(),
  budget: budget.optional(),
  system_prompt: column(MAX_SYSTEM_PROMPT).optional(),
  workspace: column(MAX_WORKSPACE).optional(),
  context_messages: count.min(1).max(MAX_CONTEXT_MESSAGES).optional(),
}) satisfies z.ZodType<ChatSettings>;

/** The accepted fields of each kind of line; others are ignored. */
export const chatFields = z.object({
  title: column(500).nullable(),
  preview: column(200).nullable().optional(),
  agent: column(64).nullable().optional(),
  settings: chatSettings.optional(),
  messages: z.array(z.unknown()).max(MAX_KEPT_MESSAGES).optional(),
  head_interaction_id: id.nullable(),
  created_at: time,
  updated_at: time,
  metadata,
});

const clientTool = z.object({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  description: z.string().max(4_000),
  input_schema: json,
});

const attachedFile = z.object({
  id,
  filename: column(255),
  mime_type: column(200),
  size_bytes: z.int().min(0),
});

const settings = z.object({
  max_iterations: count,
  on_disconnect: z.enum(['cancel', 'continue']),
  approval_mode: z.enum(['ask', 'auto', 'deny', 'defer']),
  client_tools: z.array(clientTool).max(64),
  budget: budget.optional(),
  thinking: thinking.optional(),
  temperature: z.number().min(0).max(MAX_TEMPERATURE).optional(),
  top_p: z.number().min(0).max(1).optional(),
  max_output_tokens: count.min(1).max(MAX_OUTPUT_TOKENS).optional(),
  files: z.array(attachedFile).max(20).optional(),
  system_prompt: column(MAX_SYSTEM_PROMPT).optional(),
  context_messages: count.min(1).max(MAX_CONTEXT_MESSAGES).optional(),
}) satisfies z.ZodType<InteractionSettings>;

export const interactionFields = z.object({
  id,
  parent_id: id.nullable(),
  edited_from: id.nullable(),
  status: z.enum(['QUEUED', ...ACTIVE_STATUSES, ...FINAL_STATUSES]),
  begun: z.boolean(),
  user_message: column(),
  agent: column(64),
  agent_id: id,
  model: column(200),
  settings,
  usage,
  error: eventError.nullable(),
  created_at: time,
  completed_at: time.nullable(),
  superseded_at: time.nullable(),
  last_seq: count,
  metadata,
  epoch: count,
});

export const recordFields = z.object({
  interaction_id: id,
  seq: count.min(1),
  epoch: count,
  agent_id: id,
  at: time,
  key: column(1_000).nullable(),
  body: json,
  hidden: z.unknown(),
});

const settled = { by: decider, cause: cause.optional() };

const settlement: z.ZodType<Settlement> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('approval'),
    approved: z.boolean(),
    ...settled,
    reason: z.string().optional(),
    modified_input: json.optional(),
  }),
  z.object({
    kind: z.literal('input'),
    answer: z.string().nullable(),
    ...settled,
  }),
  z.object({
    kind: z.literal('tool'),
    tool_output: z.string(),
    is_error: z.boolean(),
    ...settled,
  }),
]);

/** The other fields of a request are in the record that asks. */
export const requestFields = z.object({
  interaction_id: id,
  id,
  status: z.enum(['pending', 'settled', 'closed']),
  created_at: time,
  settled_at: time.nullable(),
  settlement: settlement.nullable(),
});

export const versionFields = z.object({ version: z.int().min(1) });

export type ChatLine = z.output<typeof chatFields>;
export type InteractionLine = z.output<typeof interactionFields>;
export type RecordLine = z.output<typeof recordFields>;
export type RequestLine = z.output<typeof requestFields>;

export type Checked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: string };

/**
 * The fields that the schema knows, in the order in which they were written, or the first fault.
 */
export function checkFields<T>(schema: z.ZodType<T>, given: unknown): Checked<T> {
  const { data, error } = schema.safeParse(given);
  const [issue] = error?.issues ?? [];
  if (!issue) return { ok: true, value: inOrderOf(given, data) as T };
  const path = cutText(issue.path.join('.'), 100);
  return { ok: false, fault: path === '' ? issue.message : `${path}: ${issue.message}` };
}

function inOrderOf(given: unknown, checked: unknown): unknown {
  if (typeof checked !== 'object' || checked === null) return checked;
  const before = given as Record<string, unknown>;
  if (Array.isArray(checked)) return checked.map((each, i) => inOrderOf(before[i], each));
  const after = checked as Record<string, unknown>;
  const keys = Object.keys(before).filter((key) => Object.hasOwn(after, key));
  return Object.fromEntries(keys.map((key) => [key, inOrderOf(before[key], after[key])]));
}

/** Text that stores keep as text: without characters that a database refuses. */
function column(max = Infinity) {
  return z
    .string()
    .refine((text) => text.length <= max, `has more than ${max} characters`)
    .refine(
      (text) => !text.includes('\0') && text.isWellFormed(),
      'has U+0000 or a lone surrogate in it',
    )
    .refine((text) => !isSealed(text), 'begins like encrypted text, with U+0001');
}
