import { z } from 'zod';
import { readPrompt } from '../../prompts/read-prompt.js';
import { decide } from '../structured/decide.js';
import type { Decider } from '../structured/decide.js';
import { describeFacts } from './facts.js';
import type { Fact } from './facts.js';

const MAX_QUESTIONS = 3;

const schema = z.object({
  questions: z.array(z.string().max(1000)).describe(`At most ${MAX_QUESTIONS}.`),
});

const PROMPT = readPrompt('deliberate/missing');

/**
 * Step 2: required information that only the user has, most important first; at most three
 * questions, none of which was asked before.
 */
export async function findMissing(
  ctx: Decider,
  facts: readonly Fact[],
): Promise<readonly string[]> {
  const { questions } = await decide(ctx, {
    about: 'whether information is missing',
    instructions: PROMPT + describeFacts(facts),
    schema,
    otherwise: { questions: [] },
  });
  const isNew = (question: string): boolean =>
    question.trim() !== '' && !facts.some((fact) => fact.question === question);
  return questions.filter(isNew).slice(0, MAX_QUESTIONS);
}
