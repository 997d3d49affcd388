import { z } from 'zod';
import { readPrompt } from '../../prompts/read-prompt.js';
import { decide } from '../structured/decide.js';
import type { Decider } from '../structured/decide.js';
import { describeFacts } from './facts.js';
import type { Fact } from './facts.js';

const MAX_PARTS = 4;

const schema = z.object({
  tasks: z.array(z.string().max(4000)).describe(`At most ${MAX_PARTS}, each for another agent.`),
});

const PROMPT = readPrompt('deliberate/sub-questions');

/** Step 3: the parts of the work that don't depend on each other; none to four. */
export async function findSubQuestions(
  ctx: Decider,
  facts: readonly Fact[],
): Promise<readonly string[]> {
  const { tasks } = await decide(ctx, {
    about: 'which parts of the work are independent',
    instructions: PROMPT + describeFacts(facts),
    schema,
    otherwise: { tasks: [] },
  });
  return tasks.filter((task) => task.trim() !== '').slice(0, MAX_PARTS);
}
