import { Injectable } from '@nestjs/common';
import { AgentType } from '../../agent-type.decorator.js';
import type { AgentContext, AgentHandle } from '../../agent-context.js';
import { Agent } from '../../agent.js';
import { readPrompt } from '../../prompts/read-prompt.js';
import { reactLoop } from '../react/react-loop.js';
import { findAmbiguity, findMissing, findSubQuestions, findUncertainty } from './decisions.js';
import { describeFacts, describeFindings } from './facts.js';
import type { Fact, Finding } from './facts.js';

const WORK = readPrompt('deliberate/work');
const SUMMARY = readPrompt('deliberate/summary');
const DECLINED = readPrompt('deliberate/declined');
/** Times that the user is asked for what is missing. */
const MAX_ROUNDS = 3;

/**
 * Thinks before it works: asks about unclear points, delegates parts of the work to parallel
 * children, and sums up.
 */
@Injectable()
@AgentType({
  name: 'deliberate',
  description:
    'Asks what is unclear or missing, has independent parts looked into side by side, and answers from all of it.',
})
export class DeliberateAgent extends Agent {
  async run(ctx: AgentContext): Promise<void> {
    const talk = new Talk(ctx);
    const ambiguity = await findAmbiguity(ctx);
    if (ambiguity) await talk.ask(ambiguity.question, ambiguity.options);
    if (!(await askMissing(ctx, talk))) return answer(ctx, DECLINED, talk.facts);
    const tasks = await findSubQuestions(ctx, talk.facts);
    const findings = await this.work(ctx, { tasks, facts: talk.facts });
    const doubt = await findUncertainty(ctx, { facts: talk.facts, findings });
    if (doubt !== undefined) await talk.ask(doubt);
    if (findings.length > 0 || doubt !== undefined)
      await answer(ctx, SUMMARY + describeFindings(findings), talk.facts);
    const summary = summaryOf(talk, findings);
    await ctx.setMetadata('deliberation', summary);
    await ctx.notice('deliberated', describeSummary(summary));
  }

  /** Steps 4 and 5: children work on parts, while the agent itself works on the whole. */
  private async work(
    ctx: AgentContext,
    { tasks, facts }: { readonly tasks: readonly string[]; readonly facts: readonly Fact[] },
  ): Promise<readonly Finding[]> {
    const known = describeFacts(facts);
    const children = await Promise.all(tasks.map((task) => ctx.fork(task + known)));
    const [, ...findings] = await Promise.all([
      reactLoop(ctx, () => ({ instructions: WORK + known })),
      ...children.map((child, at) => findingOf(ctx, child, tasks[at]!)),
    ]);
    return findings;
  }
}

/** Questions to the user so far. */
class Talk {
  private readonly asked: Fact[] = [];
  /** The times that the user was asked for something, each maybe for several things. */
  rounds = 0;

  constructor(private readonly ctx: AgentContext) {}

  get facts(): readonly Fact[] {
    return this.asked;
  }

  async ask(question: string, options?: readonly string[]): Promise<string | null> {
    const told = await this.ctx.ask(question, options && { options });
    this.asked.push({ question, answer: told });
    return told;
  }
}

async function findingOf(ctx: AgentContext, child: AgentHandle, task: string): Promise<Finding> {
  try {
    return { task, result: await ctx.wait(child), failed: false };
  } catch (error) {
    return { task, result: (error as Error).message, failed: true };
  }
}

async function answer(ctx: AgentContext, prompt: string, facts: readonly Fact[]): Promise<void> {
  await ctx.generate({ instructions: prompt + describeFacts(facts), tool_choice: 'none' });
}

/**
 * Asks for what is missing, and decides again with the answers. False if the user does not answer.
 */
async function askMissing(ctx: AgentContext, talk: Talk): Promise<boolean> {
  while (talk.rounds < MAX_ROUNDS) {
    const questions = await findMissing(ctx, talk.facts);
    if (questions.length === 0) return true;
    talk.rounds++;
    for (const question of questions) if ((await talk.ask(question)) === null) return false;
  }
  return true;
}

/** The `deliberation` in the metadata of the interaction. */
interface Summary {
  readonly rounds: number;
  readonly questions: number;
  readonly answered: number;
  readonly parts: number;
  readonly parts_with_result: number;
}

function summaryOf({ facts, rounds }: Talk, findings: readonly Finding[]): Summary {
  return {
    rounds,
    questions: facts.length,
    answered: facts.filter(({ answer: given }) => given !== null).length,
    parts: findings.length,
    parts_with_result: findings.filter(({ failed }) => !failed).length,
  };
}

function describeSummary({ questions, answered, parts, parts_with_result }: Summary): string {
  return `Questions asked: ${questions}, answered: ${answered}. Parts looked into by others: ${parts}, with a result: ${parts_with_result}.`;
}
