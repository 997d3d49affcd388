import { AppError } from '../../kernel/app-error.js';
import { AsyncValue } from '../../kernel/async/async-value.js';
import { toErrorText } from '../../tools/core/to-text.js';
import type { AgentIdentity } from '../../agents/agent-context.js';
import type { HiddenOf } from '../../protocol/events.js';
import type { CompletingRecord } from '../journal/completes.js';
import type { Effect } from './effect.js';
import { GuardedResult, guardedAgent } from '../guarding/guard-output.js';
import type { AgentScope } from '../scope/agent-scope.js';

interface StepInput<T> {
  readonly key: string;
  readonly agent: AgentIdentity;
  readonly name: string;
  readonly fn: () => Promise<T> | T;
}

/** Size limits on a step in the log, in characters of JSON and of text. */
const MAX_VALUE = 1_000_000;
const MAX_MESSAGE = 10_000;

const insideStep = new AsyncValue<true>();

/** @throws AppError when called by a step's own function: a nested effect could not be replayed */
export function refuseInsideStep(): void {
  if (!insideStep.get()) return;
  throw new AppError(
    'internal',
    'context_in_step',
    'ctx was used inside the function of ctx.step. Return the value from the step and use ctx after it.',
  );
}

/** Any other effect: executed at least once; its JSON value is journaled. */
export class StepEffect<T> implements Effect<T> {
  readonly key: string;
  readonly label: string;

  constructor(
    private readonly scope: AgentScope,
    private readonly input: StepInput<T>,
  ) {
    this.key = input.key;
    this.label = `the step "${input.name}"`;
  }

  matches({ body }: CompletingRecord): boolean {
    return body.type === 'STEP_COMPLETED' && body.name === this.input.name;
  }

  async run(): Promise<void> {
    const hidden = await this.settle();
    this.scope.signal.throwIfAborted();
    const { key, agent, name } = this.input;
    await this.scope.append([
      { agent_id: agent.id, key, body: { type: 'STEP_COMPLETED', name }, hidden },
    ]);
  }

  outcome({ hidden }: CompletingRecord): T {
    if (hidden && 'error' in hidden)
      throw new AppError('internal', 'step_failed', `${this.label} failed: ${hidden.error}`);
    return (hidden && 'value' in hidden ? hidden.value : undefined) as T;
  }

  private async settle(): Promise<HiddenOf<'STEP_COMPLETED'>> {
    try {
      const value = await insideStep.run(true, async () => this.input.fn());
      const json = JSON.stringify(value) as string | undefined;
      if ((json?.length ?? 0) > MAX_VALUE)
        return { error: `its value has more than ${MAX_VALUE} characters of JSON` };
      return json === undefined ? {} : { value: JSON.parse(json) as unknown };
    } catch (error) {
      const guarded = new GuardedResult(this.scope.run, guardedAgent(this.input.agent), 'text');
      return { error: guarded.cut(toErrorText(error), MAX_MESSAGE) };
    }
  }
}
