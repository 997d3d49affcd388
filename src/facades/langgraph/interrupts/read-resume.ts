import { z } from 'zod';
import { AppError } from '../../../kernel/app-error.js';
import { isObject } from '../../../kernel/json/json.js';
import type { Json } from '../../../protocol/json.js';
import { invalidBody } from '../errors.js';
import type { InterruptedBy, OpenRequest } from './interrupt.js';

/** A verdict, an answer or a result. */
export type Settling =
  | {
      readonly kind: 'approval';
      readonly approval_id: string;
      readonly approved: boolean;
      readonly reason?: string;
      readonly modified_input?: Json;
    }
  | { readonly kind: 'input'; readonly request_id: string; readonly answer: string | null }
  | {
      readonly kind: 'tool';
      readonly tool_call_id: string;
      readonly tool_output: string;
      readonly is_error: boolean;
    };

/** The answer to one interrupt. */
export interface InterruptAnswer {
  readonly interrupt: InterruptedBy;
  readonly value: unknown;
}

const ACTION = z.looseObject({ name: z.string(), args: z.record(z.string(), z.unknown()) });
const DECISION = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('approve') }),
  z.looseObject({
    type: z.literal('edit'),
    editedAction: ACTION.optional(),
    edited_action: ACTION.optional(),
  }),
  z.looseObject({ type: z.literal('reject'), message: z.string().nullish() }),
]);
type Decision = z.infer<typeof DECISION>;

/**
 * The answers in a `resume`: one value for the only interrupt, or an object of values by their
 * interrupts' ids.
 * @param isStrict an id that is not open is an error, also beside others
 * @throws AppError `request_not_found` (404), `invalid_body` (400)
 */
export function answersIn(
  resume: unknown,
  open: readonly InterruptedBy[],
  isStrict: boolean,
): InterruptAnswer[] {
  const keys = isObject(resume) ? Object.keys(resume) : [];
  const byId = keys.filter((key) => /^[0-9a-f]{32}$/.test(key));
  const named = open.filter(({ id }) => byId.includes(id));
  const unknown = byId.find((key) => !open.some(({ id }) => id === key));
  if (unknown !== undefined && (isStrict || named.length === 0)) throw notOpen(unknown);
  if (named.length > 0)
    return named.map((each) => ({
      interrupt: each,
      value: (resume as Readonly<Record<string, unknown>>)[each.id],
    }));
  const [only, another] = open;
  if (!only) throw notOpen();
  if (another)
    throw invalidBody(
      'command.resume',
      `has to name the interrupts that it answers, ${open.length} of which are open: {"<id>": …}`,
    );
  return [{ interrupt: only, value: resume }];
}

/** @throws AppError `invalid_body` (400) */
export function settlingsOf({ interrupt, value }: InterruptAnswer): Settling[] {
  const { requests } = interrupt;
  if (requests[0]?.kind === 'approval') return verdictsOf(requests, value);
  return requests.map((request) =>
    request.kind === 'tool' ? outputOf(request, value) : answerOf(request, value),
  );
}

function verdictsOf(requests: readonly OpenRequest[], value: unknown): Settling[] {
  const given = isObject(value) ? value['decisions'] : undefined;
  if (!Array.isArray(given) || given.length !== requests.length)
    throw invalidBody('resume', `needs ${requests.length} decisions: {"decisions": [{"type": …}]}`);
  return requests.map((request, at) => {
    const { data, error } = DECISION.safeParse(given[at]);
    if (data) return verdictOf(request, data, `decisions.${at}`);
    const [issue] = error.issues;
    throw invalidBody(['decisions', at, ...issue!.path].join('.'), issue!.message);
  });
}

function verdictOf({ id, fields }: OpenRequest, given: Decision, field: string): Settling {
  const verdict = { kind: 'approval', approval_id: id } as const;
  if (given.type === 'approve') return { ...verdict, approved: true };
  if (given.type === 'reject')
    return { ...verdict, approved: false, ...(given.message && { reason: given.message }) };
  const action = given.editedAction ?? given.edited_action;
  if (!action) throw invalidBody(field, 'needs the edited action: {"name": …, "args": {…}}');
  if (action.name !== fields['tool_name'])
    throw invalidBody(field, 'can’t change the tool, only its arguments');
  return { ...verdict, approved: true, modified_input: action.args };
}

/** Null declines. */
function answerOf({ id: request_id }: OpenRequest, value: unknown): Settling {
  const answer = isObject(value) && 'answer' in value ? value['answer'] : value;
  return { kind: 'input', request_id, answer: answer === null ? null : textOf(answer) };
}

/** Headless tools name their call: `{"<id>": value}`, or `{"<id>": {error}}`. */
function outputOf({ fields }: OpenRequest, value: unknown): Settling {
  const tool_call_id = String(fields['tool_call_id']);
  const output = isObject(value) && tool_call_id in value ? value[tool_call_id] : value;
  const error = isObject(output) && Object.keys(output).length === 1 ? output['error'] : undefined;
  const is_error = typeof error === 'string';
  return { kind: 'tool', tool_call_id, tool_output: textOf(is_error ? error : output), is_error };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Undefined: nothing is open. */
export function notOpen(id?: string): AppError {
  const message =
    id === undefined
      ? 'The thread waits for nothing, so there is nothing to resume.'
      : `The interrupt ${id} is not open: it was answered, or others have joined it. Read the state of the thread.`;
  return new AppError('not_found', 'request_not_found', message);
}
