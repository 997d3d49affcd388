import { z } from 'zod';
import { isObject } from '../../../kernel/json/json.js';
import { invalidBody } from '../errors.js';
import { decides, readRunBody } from '../runs/run-body.js';
import type { RunRequest } from '../runs/run-body.js';

const COMMAND = z.looseObject({
  id: z.number(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).nullish(),
});
const ANSWER = z.looseObject({
  interrupt_id: z.string().max(200),
  response: z.unknown().optional(),
});
const RESPOND = z.looseObject({
  responses: z.array(ANSWER).min(1).max(200).nullish(),
  interrupt_id: z.string().max(200).nullish(),
  response: z.unknown().optional(),
  strict_resume: z.boolean().nullish(),
});

/** A command, as its envelope has it. */
export interface Command {
  readonly id: number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** @throws AppError `invalid_body` (400) */
export function readCommand(body: unknown): Command {
  const { data, error } = COMMAND.safeParse(body ?? {});
  if (data) return { id: data.id, method: data.method, params: data.params ?? {} };
  const [issue] = error.issues;
  throw invalidBody(issue!.path.join('.') || 'body', issue!.message);
}

/** For requests whose body is not checked yet. */
export function decidesCommand(body: unknown): boolean {
  if (!isObject(body)) return false;
  return body['method'] === 'input.respond' || decides(body['params']);
}

/** A message of a person goes before what runs, unless its client says otherwise. */
export function readStart(params: Command['params']): RunRequest {
  const { multitaskStrategy, multitask_strategy, ...rest } = params;
  const strategy = multitask_strategy ?? multitaskStrategy ?? 'interrupt';
  return readRunBody({ ...rest, multitask_strategy: strategy, if_not_exists: 'create' });
}

/** Responses by the ids of their interrupts. */
export function readResponses(params: Command['params']): NonNullable<RunRequest['resume']> {
  for (const name of ['update', 'goto'])
    if (params[name] !== undefined && params[name] !== null)
      throw invalidBody(`params.${name}`, 'can’t be honoured by agents: leave it out');
  const { data, error } = RESPOND.safeParse(params);
  if (!data) {
    const [issue] = error.issues;
    throw invalidBody(`params.${issue!.path.join('.')}`, issue!.message);
  }
  const { interrupt_id, response } = data;
  const one = typeof interrupt_id === 'string' ? [{ interrupt_id, response }] : [];
  const given = data.responses ?? one;
  if (given.length === 0) throw invalidBody('params.interrupt_id', 'is needed');
  const value = Object.fromEntries(given.map((each) => [each.interrupt_id, each.response]));
  return { value, isStrict: data.strict_resume === true };
}
