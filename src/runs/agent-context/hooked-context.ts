import { AppError } from '../../kernel/app-error.js';
import type { ToolCall } from '../../protocol/message.js';
import type {
  AgentHandle,
  AskOptions,
  ForkOptions,
  GenerateOptions,
  ToolOutcome,
  Turn,
} from '../../agents/agent-context.js';
import type { Answered, DoneStep, Step, StepKind, StepOf } from '../../agents/agent-hooks.js';
import { abandonable } from '../journal/abandonable.js';
import type { HookCalls } from './hook-calls.js';
import type { JournaledContext } from './journaled-context.js';
import { SeenContext } from './seen-context.js';
import { refuseInsideStep } from '../effects/step.effect.js';

/** The context of an agent that has hooks: they are called before each step is asked for, and after it has settled. */
export class HookedContext extends SeenContext {
  constructor(
    private readonly inner: JournaledContext,
    private readonly hooks: HookCalls,
  ) {
    super(inner.parts);
  }

  generate(options: GenerateOptions = {}): Promise<Turn> {
    const step = { kind: 'generate', options: shown(options) } as const;
    return this.around(step, () => this.inner.generate(options));
  }

  async callTools(calls: readonly ToolCall[]): Promise<readonly ToolOutcome[]> {
    return Promise.all(calls.map((call) => this.callTool(call)));
  }

  ask(question: string, options: AskOptions = {}): Promise<string | null> {
    const step = { kind: 'ask', question, options: shown(options) } as const;
    return this.around(step, () => this.inner.ask(question, options));
  }

  fork(prompt: string, options: ForkOptions = {}): Promise<AgentHandle> {
    const step = { kind: 'fork', prompt, options: shown(options) } as const;
    return this.around(step, () => this.inner.fork(prompt, options));
  }

  wait(child: AgentHandle): Promise<string> {
    return this.around({ kind: 'wait', child }, () => this.inner.wait(child));
  }

  async step<T>(name: string, fn: () => Promise<T> | T): Promise<T> {
    return (await this.around({ kind: 'step', name }, () => this.inner.step(name, fn))) as T;
  }

  say(text: string): Promise<void> {
    return this.around({ kind: 'say', text }, () => this.inner.say(text));
  }

  notice(code: string, message: string): Promise<void> {
    const step = { kind: 'notice', code, message } as const;
    return this.around(step, () => this.inner.notice(code, message));
  }

  /** One that is refused is answered in the log: the model reads why. */
  private callTool(call: ToolCall): Promise<ToolOutcome> {
    return this.around(
      { kind: 'tool_call', call },
      () => this.inner.callTools([call]).then(([outcome]) => outcome!),
      (reason) => this.inner.refuseCall(call, `This call was refused: ${reason}`),
    );
  }

  /** Never settles when a hook throws: the agent ends then. */
  private around<K extends StepKind>(
    step: StepOf<K>,
    work: () => Promise<Answered[K]>,
    refuse = (reason: string): Promise<Answered[K]> => Promise.reject(refused(step, reason)),
  ): Promise<Answered[K]> {
    refuseInsideStep();
    this.hooks.refuseInsideHook();
    const heard = this.hooks.before(step as Step);
    if (!heard) return new Promise(() => {});
    const { said } = heard;
    return abandonable(this.told(step, said === undefined ? work() : refuse(said)));
  }

  private async told<K extends StepKind>(
    step: StepOf<K>,
    settling: Promise<Answered[K]>,
  ): Promise<Answered[K]> {
    const [settled] = await Promise.allSettled([settling]);
    const isDone = settled.status === 'fulfilled';
    const outcome = isDone ? { value: settled.value } : { error: settled.reason as Error };
    if (!this.hooks.after({ ...step, ...outcome } as DoneStep)) return new Promise(() => {});
    if (isDone) return settled.value;
    throw settled.reason;
  }
}

/** Hooks look and refuse: what they do to this changes nothing. */
function shown<T extends object>(options: T): T {
  return Object.freeze({ ...options });
}

function refused({ kind }: { readonly kind: StepKind }, reason: string): AppError {
  return new AppError('unprocessable', 'step_refused', `The step "${kind}" was refused: ${reason}`);
}
