import { z } from 'zod';
import { readPrompt } from '../../prompts/read-prompt.js';
import { decide } from '../structured/decide.js';
import type { Decider } from '../structured/decide.js';

const schema = z.object({
  ambiguous: z.boolean(),
  question: z.string().max(1000).optional().describe('Needed if it is ambiguous.'),
  options: z.array(z.string().min(1).max(200)).max(6).optional(),
});

/** Questions that make a message unambiguous. */
export interface Clarification {
  readonly question: string;
  readonly options?: readonly string[];
}

const PROMPT = readPrompt('deliberate/ambiguity');

/** Step 1. undefined: the message is clear. */
export async function findAmbiguity(ctx: Decider): Promise<Clarification | undefined> {
  const { ambiguous, question, options } = await decide(ctx, {
    about: 'whether the message is ambiguous',
    instructions: PROMPT,
    schema,
    otherwise: { ambiguous: false },
  });
  if (!ambiguous || !question?.trim()) return undefined;
  return { question, ...(options && options.length > 1 && { options }) };
}
