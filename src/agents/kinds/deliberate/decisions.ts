import { z } from 'zod';
import { readPrompt } from '../../prompts/read-prompt.js';
import { decide } from '../structured/decide.js';
import type { Decider } from '../structured/decide.js';
import { describeFacts, describeFindings } from './facts.js';
import type { Fact, Finding } from './facts.js';

const ambiguitySchema = z.object({
  ambiguous: z.boolean(),
  question: z.string().max(1000).optional().describe('Needed if it is ambiguous.'),
  options: z.array(z.string().min(1).max(200)).max(6).optional(),
});

/** Questions that make a message unambiguous. */
interface Clarification {
  readonly question: string;
  readonly options?: readonly string[];
}

const AMBIGUITY = readPrompt('deliberate/ambiguity');

/** Step 1. undefined: the message is clear. */
export async function findAmbiguity(ctx: Decider): Promise<Clarification | undefined> {
  const { ambiguous, question, options } = await decide(ctx, {
    about: 'whether the message is ambiguous',
    instructions: AMBIGUITY,
    schema: ambiguitySchema,
    otherwise: { ambiguous: false },
  });
  if (!ambiguous || !question?.trim()) return undefined;
  return { question, ...(options && options.length > 1 && { options }) };
}

const MAX_QUESTIONS = 3;

const missingSchema = z.object({
  questions: z.array(z.string().max(1000)).describe(`At most ${MAX_QUESTIONS}.`),
});

const MISSING = readPrompt('deliberate/missing');

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
    instructions: MISSING + describeFacts(facts),
    schema: missingSchema,
    otherwise: { questions: [] },
  });
  const isNew = (question: string): boolean =>
    question.trim() !== '' && !facts.some((fact) => fact.question === question);
  return questions.filter(isNew).slice(0, MAX_QUESTIONS);
}

const MAX_PARTS = 4;

const partsSchema = z.object({
  tasks: z.array(z.string().max(4000)).describe(`At most ${MAX_PARTS}, each for another agent.`),
});

const PARTS = readPrompt('deliberate/sub-questions');

/** Step 3: the parts of the work that don't depend on each other; none to four. */
export async function findSubQuestions(
  ctx: Decider,
  facts: readonly Fact[],
): Promise<readonly string[]> {
  const { tasks } = await decide(ctx, {
    about: 'which parts of the work are independent',
    instructions: PARTS + describeFacts(facts),
    schema: partsSchema,
    otherwise: { tasks: [] },
  });
  return tasks.filter((task) => task.trim() !== '').slice(0, MAX_PARTS);
}

const uncertaintySchema = z.object({
  uncertain: z.boolean(),
  question: z.string().max(1000).optional().describe('Needed if it is uncertain.'),
});

const UNCERTAINTY = readPrompt('deliberate/uncertainty');

/** Part of step 6: the one question that would still change the answer. undefined: none. */
export async function findUncertainty(
  ctx: Decider,
  { facts, findings }: { readonly facts: readonly Fact[]; readonly findings: readonly Finding[] },
): Promise<string | undefined> {
  const { uncertain, question } = await decide(ctx, {
    about: 'whether something is uncertain',
    instructions: UNCERTAINTY + describeFacts(facts) + describeFindings(findings),
    schema: uncertaintySchema,
    otherwise: { uncertain: false },
  });
  return uncertain && question?.trim() ? question : undefined;
}
