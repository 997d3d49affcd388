import { z } from 'zod';
import type { ZodType } from 'zod';
import { AppError } from '../../../kernel/app-error.js';
import type { Message } from '../../../protocol/message.js';
import type { AgentContext } from '../../agent-context.js';
import { readAnswer } from './read-answer.js';
import { cutText } from '../../../kernel/text/cut-text.js';

/** The part of an agent's context that a decision needs. */
export type Decider = Pick<AgentContext, 'generate' | 'messages' | 'notice'>;

export interface DecisionOptions<T> {
  /** For people: `whether the message is ambiguous`. */
  readonly about: string;
  readonly instructions: string;
  readonly schema: ZodType<T>;
  /** The decision if the model gives none. */
  readonly otherwise: T;
}

/** The first attempt, and retries after unusable output of the model. */
const ATTEMPTS = 3;
const MAX_SHOWN = 2000;

/**
 * Lets the model decide about the conversation, unseen by readers, in an object that follows a
 * schema. Works with models that don't support schemas: the prompt contains the schema, and retries
 * contain the faults of the last output.
 * @throws AppError as `generate`
 */
export async function decide<T>(ctx: Decider, options: DecisionOptions<T>): Promise<T> {
  const { about, instructions, schema, otherwise } = options;
  const shape = z.toJSONSchema(schema, { io: 'input' });
  const task = `${instructions}\n\nAnswer with one JSON object that follows this JSON Schema, and with nothing else:\n${JSON.stringify(shape)}`;
  let asked: readonly Message[] = [{ role: 'user', content: task }];
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const text = await answer(ctx, asked, shape);
    const read = readAnswer(schema, text);
    if (read.ok) return read.value;
    asked = [...asked, ...correct(text, read.fault)];
  }
  await ctx.notice('undecided', `The model could not say ${about}; it goes on as if not.`);
  return otherwise;
}

/** A model that refuses schemas is asked again without one. */
async function answer(
  ctx: Decider,
  asked: readonly Message[],
  schema: Readonly<Record<string, unknown>>,
): Promise<string> {
  const messages = [...ctx.messages, ...asked];
  const options = { messages, visible: false, tool_choice: 'none' } as const;
  try {
    return (await ctx.generate({ ...options, schema })).text;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'model_refused') throw error;
    return (await ctx.generate(options)).text;
  }
}

function correct(text: string, fault: string): Message[] {
  return [
    { role: 'assistant', content: cutText(text, MAX_SHOWN) || '(nothing)' },
    { role: 'user', content: `That can't be used: ${fault}. Answer with the JSON object alone.` },
  ];
}
