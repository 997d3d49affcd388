import { cutText } from '../../kernel/text/cut-text.js';
import { isObject } from '../../kernel/json/json.js';
import type { RecordEvent } from '../../protocol/events.js';
import { describeQuestion } from '../base/describe-question.js';

const MAX_REASON = 10_000;

type Asked = Extract<RecordEvent, { type: 'APPROVAL_REQUIRED' | 'INPUT_REQUIRED' }>;

/** A form that a client shows to its user: the params of `elicitation/create`. */
export interface Form {
  readonly mode: 'form';
  readonly message: string;
  readonly requestedSchema: object;
}

/** The decision in a form that came back: a verdict, or the answer to a question. */
export type Decision =
  | { readonly kind: 'approval'; readonly approved: boolean; readonly reason?: string }
  | { readonly kind: 'input'; readonly answer: string | null };

/** To accept the form is to approve the call, to decline it is to reject it. */
export function toForm(event: Asked): Form {
  if (event.type === 'INPUT_REQUIRED') {
    const answer = { type: 'string', title: 'Answer' };
    return formOf(describeQuestion(event.question, event.options), { answer }, ['answer']);
  }
  const { action, tool_name, tool_input, reason, risk } = event;
  const call = `${tool_name} ${tool_input}`;
  const lines = [`Approve this call? ${action}`, call, `Risk: ${risk}. ${reason}`];
  const note = { type: 'string', title: 'Reason', description: 'The agent reads it.' };
  return formOf(lines.join('\n'), { reason: note }, []);
}

/** Undefined if the client's answer decides nothing. A form that was closed is declined. */
export function readDecision(kind: Decision['kind'], given: unknown): Decision | undefined {
  if (!isObject(given)) return undefined;
  const { action } = given;
  const content = isObject(given['content']) ? given['content'] : {};
  const isAccepted = action === 'accept';
  if (!isAccepted && action !== 'decline' && action !== 'cancel') return undefined;
  if (kind === 'approval') {
    const reason = content['reason'];
    const approved = isAccepted && content['approved'] !== false;
    return {
      kind,
      approved,
      ...(typeof reason === 'string' && { reason: cutText(reason, MAX_REASON) }),
    };
  }
  const answer = isAccepted ? content['answer'] : null;
  return typeof answer === 'string' || answer === null ? { kind, answer } : undefined;
}

function formOf(message: string, properties: object, required: readonly string[]): Form {
  return { mode: 'form', message, requestedSchema: { type: 'object', properties, required } };
}

/** True for a body that brings forms back. */
export function decides(body: unknown): boolean {
  if (!isObject(body)) return false;
  const { params, result } = body;
  return result !== undefined || (isObject(params) && params['inputResponses'] !== undefined);
}
