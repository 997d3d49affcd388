import { z } from 'zod';
import { readPrompt } from '../../prompts/read-prompt.js';
import { decide } from '../structured/decide.js';
import type { Decider } from '../structured/decide.js';
import { describeFacts, describeFindings } from './facts.js';
import type { Fact, Finding } from './facts.js';

const schema = z.object({
  uncertain: z.boolean(),
  question: z.string().max(1000).optional().describe('Needed if it is uncertain.'),
});

const PROMPT = readPrompt('deliberate/uncertainty');

/** Part of step 6: the one question that would still change the answer. undefined: none. */
export async function findUncertainty(
  ctx: Decider,
  { facts, findings }: { readonly facts: readonly Fact[]; readonly findings: readonly Finding[] },
): Promise<string | undefined> {
  const { uncertain, question } = await decide(ctx, {
    about: 'whether something is uncertain',
    instructions: PROMPT + describeFacts(facts) + describeFindings(findings),
    schema,
    otherwise: { uncertain: false },
  });
  return uncertain && question?.trim() ? question : undefined;
}
