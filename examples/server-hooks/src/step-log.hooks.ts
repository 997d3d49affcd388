import { Injectable, Logger } from '@nestjs/common';
import type { DoneStep, HookContext, Step } from 'parley/agent-hooks';
import { Hooks, HooksProvider } from 'parley/hooks';

/** Logs each step of each agent, and lets no agent send links to other sites. */
@Injectable()
@HooksProvider()
export class StepLog extends Hooks {
  private readonly logger = new Logger(StepLog.name);

  override beforeStep(step: Step): string | void {
    if (step.kind === 'say' && /https?:\/\//.test(step.text)) return 'Links are not sent here.';
  }

  override afterStep(step: DoneStep, { agent }: HookContext): void {
    const outcome = step.error ? `failed: ${step.error.message}` : 'is done';
    this.logger.log(`${agent.type} ${agent.id}: ${step.kind} ${outcome}`);
  }
}
