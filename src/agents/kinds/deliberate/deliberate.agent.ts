import { Injectable } from '@nestjs/common';
import { AgentType } from '../../agent-type.decorator.js';
import type { AgentContext, AgentHandle } from '../../agent-context.js';
import { Agent } from '../../agent.js';
import { readPrompt } from '../../prompts/read-prompt.js';
import { reactLoop } from '../react/react-loop.js';
import { findAmbiguity } from './ambiguity.js';
import { describeFacts, describeFindings } from './facts.js';
import type { Fact, Finding } from './facts.js';
import { findMissing } from './missing.js';
import { findSubQuestions } from './sub-questions.js';
import { findUncertainty } from './uncertainty.js';

const WORK = readPrompt('deliberate/work');
const SUMMARY = readPrompt('deliberate/summary');
const DECLINED = readPrompt('deliberate/declined');

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
    for (const question of await findMissing(ctx, talk.facts))
      if ((await talk.ask(question)) === null) return answer(ctx, DECLINED, talk.facts);
    const tasks = await findSubQuestions(ctx, talk.facts);
    const findings = await this.work(ctx, { tasks, facts: talk.facts });
    const doubt = await findUncertainty(ctx, { facts: talk.facts, findings });
    if (doubt !== undefined) await talk.ask(doubt);
    if (findings.length > 0 || doubt !== undefined)
      await answer(ctx, SUMMARY + describeFindings(findings), talk.facts);
    await ctx.notice('deliberated', describeWork(talk.facts, findings));
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

function describeWork(facts: readonly Fact[], findings: readonly Finding[]): string {
  const answered = facts.filter(({ answer: given }) => given !== null).length;
  const found = findings.filter(({ failed }) => !failed).length;
  return `Questions asked: ${facts.length}, answered: ${answered}. Parts looked into by others: ${findings.length}, with a result: ${found}.`;
}
