import { z } from 'zod';
import { isSealed } from '../encryption/sealed-text.js';
import { AppError } from '../kernel/app-error.js';
import type { FieldFault } from '../kernel/app-error.js';
import { json } from '../protocol/wire/fields.js';
import type { Message } from '../protocol/message.js';
import { isObjectText } from '../kernel/json/bounded-json.js';

/** Maximum number of messages in the conversation that a chat starts from. */
export const MAX_MESSAGES = 1_000;
/** Maximum for conversations that clients of other protocols begin with their history. */
export const MAX_KEPT_MESSAGES = 20_000;
export const MAX_MESSAGES_LENGTH = 512 * 1024;

const text = z.string().refine((value) => !isSealed(value), 'begins like encrypted text');
const id = z.string().min(1).max(200);

const toolCall = z.strictObject({
  id,
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -'),
    arguments: text.refine(isObjectText, 'must be a JSON object as text'),
  }),
});

const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: text }),
  z.strictObject({ role: z.literal('user'), content: text }),
  z.strictObject({
    role: z.literal('assistant'),
    content: text.nullable(),
    tool_calls: z.array(toolCall).min(1).max(128).optional(),
    provider_data: json.optional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: id, content: text }),
]);

/**
 * Messages from which a chat can start (I8).
 * @param field the name of the list in errors
 * @throws AppError `invalid_body` (400) with the first faults
 */
export function checkMessages(given: readonly unknown[], field = 'messages'): Message[] {
  const { data, error } = z.array(messageSchema).safeParse(given);
  if (!data) throw invalid((error?.issues ?? []).map((issue) => toFault(issue, field)));
  const messages = data as Message[];
  const faults = findUnpaired(messages).map(([at, why]) => ({
    field: `${field}.${at}`,
    message: `${field}.${at} ${why}`,
  }));
  if (faults.length > 0) throw invalid(faults);
  return messages;
}

/** Calls without results, and results without calls: `[index of the message, what is wrong]`. */
function findUnpaired(messages: readonly Message[]): [number, string][] {
  const faults: [number, string][] = [];
  let open = new Set<string>();
  let caller = -1;
  const close = (): void => {
    for (const call of open) faults.push([caller, `calls "${call}", which has no result after it`]);
  };
  for (const [at, each] of messages.entries()) {
    if (each.role === 'tool') {
      if (!open.delete(each.tool_call_id))
        faults.push([at, `is a result of no call of the message before it`]);
      continue;
    }
    close();
    const calls = each.role === 'assistant' ? (each.tool_calls ?? []) : [];
    open = new Set(calls.map((call) => call.id));
    caller = at;
    if (open.size < calls.length) faults.push([at, 'has two tool calls with one id']);
    if (each.role === 'assistant' && each.content === null && calls.length === 0)
      faults.push([at, 'has neither content nor tool_calls']);
  }
  close();
  return faults;
}

function toFault({ path, message: why }: z.core.$ZodIssue, field: string): FieldFault {
  const name = [field, ...path].join('.');
  return { field: name, message: `${name}: ${why}` };
}

const MAX_FAULTS = 20;

function invalid(faults: readonly FieldFault[]): AppError {
  const errors = faults.slice(0, MAX_FAULTS);
  const message = errors[0]?.message ?? 'The messages are not valid';
  return new AppError('invalid', 'invalid_body', `${message}.`, { errors });
}
