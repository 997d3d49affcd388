import { createHash } from 'node:crypto';
import { readArguments } from '../messages/message.js';

/** A request that is open, as an event or the inbox has it. */
export interface OpenRequest {
  readonly id: string;
  readonly kind: 'approval' | 'input' | 'tool';
  /** The fields of its event. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A question of a thread to its client: `value`. */
export interface Interrupt {
  readonly id: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The requests that the answer to an interrupt settles, in the order of its decisions. */
export interface InterruptedBy extends Interrupt {
  readonly requests: readonly OpenRequest[];
}

const DECISIONS = ['approve', 'edit', 'reject'];

/**
 * All open approvals are one interrupt, as LangChain's middleware asks: their decisions are told
 * apart by their places. So its id is made of the approvals, and changes with them. Questions and
 * calls of the client's tools are interrupts of their own.
 */
export function interruptsOf(requests: readonly OpenRequest[]): InterruptedBy[] {
  const approvals = requests.filter(({ kind }) => kind === 'approval');
  const others = requests.filter(({ kind }) => kind !== 'approval');
  return [
    ...(approvals.length > 0 ? [interrupt(approvals, review(approvals))] : []),
    ...others.map((each) => interrupt([each], each.kind === 'tool' ? call(each) : question(each))),
  ];
}

/** Without what clients don't need. */
export function viewInterrupt({ id, value }: InterruptedBy): Interrupt {
  return { id, value };
}

/** Clients know interrupts by ids of 32 hexadecimal digits. */
function interrupt(
  requests: readonly OpenRequest[],
  value: Readonly<Record<string, unknown>>,
): InterruptedBy {
  const ids = requests.map(({ id }) => id).join(' ');
  const id = createHash('sha256').update(ids).digest('hex').slice(0, 32);
  return { id, value, requests };
}

/** In the spelling of both languages of LangChain. */
function review(approvals: readonly OpenRequest[]): Readonly<Record<string, unknown>> {
  const requested = approvals.map(({ id, fields }) => {
    const { tool_name: name, action, category, risk, reason, expires_at, tool_call_id } = fields;
    const description = [action, reason].filter((text) => typeof text === 'string').join('\n');
    const about = { approval_id: id, tool_call_id, category, risk, expires_at };
    return { name, args: argumentsOf(fields), description, ...about };
  });
  const names = [...new Set(requested.map(({ name }) => name))];
  return {
    ...{ action_requests: requested, actionRequests: requested },
    review_configs: names.map((action_name) => ({ action_name, allowed_decisions: DECISIONS })),
    reviewConfigs: names.map((actionName) => ({ actionName, allowedDecisions: DECISIONS })),
  };
}

/** Clients that have the tool run it by themselves: it is a "headless" one. */
function call({ fields }: OpenRequest): Readonly<Record<string, unknown>> {
  const called = { id: fields['tool_call_id'], name: fields['tool_name'] };
  const toolCall = { ...called, args: argumentsOf(fields) };
  return { type: 'tool', toolCall, tool_call: toolCall };
}

function question({ id, fields }: OpenRequest): Readonly<Record<string, unknown>> {
  const { question: text, options, expires_at } = fields;
  return {
    type: 'question',
    question: text,
    ...(options ? { options } : {}),
    request_id: id,
    expires_at,
  };
}

function argumentsOf({ tool_input }: OpenRequest['fields']): unknown {
  return readArguments(String(tool_input)) ?? tool_input;
}
