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
import { abandonable } from '../effects/effect.js';
import type { HookCalls } from './hook-calls.js';
import { JournaledContext } from './journaled-context.js';
import type { ContextParts } from './journaled-context.js';
import { refuseInsideStep } from '../effects/step.effect.js';

/**
 * The context of an agent with hooks: they are called before each step is requested and after it
 * has settled.
 */
export class HookedContext extends JournaledContext {
  constructor(
    parts: ContextParts,
    private readonly hooks: HookCalls,
  ) {
    super(parts);
  }

  override generate(options: GenerateOptions = {}): Promise<Turn> {
    const step = { kind: 'generate', options: shown(options) } as const;
    return this.around(step, () => super.generate(options));
  }

  override async callTools(calls: readonly ToolCall[]): Promise<readonly ToolOutcome[]> {
    return Promise.all(calls.map((call) => this.callTool(call)));
  }

  override ask(question: string, options: AskOptions = {}): Promise<string | null> {
    const step = { kind: 'ask', question, options: shown(options) } as const;
    return this.around(step, () => super.ask(question, options));
  }

  override fork(prompt: string, options: ForkOptions = {}): Promise<AgentHandle> {
    const step = { kind: 'fork', prompt, options: shown(options) } as const;
    return this.around(step, () => super.fork(prompt, options));
  }

  override wait(child: AgentHandle): Promise<string> {
    return this.around({ kind: 'wait', child }, () => super.wait(child));
  }

  override async step<T>(name: string, fn: () => Promise<T> | T): Promise<T> {
    return (await this.around({ kind: 'step', name }, () => super.step(name, fn))) as T;
  }

  override say(text: string): Promise<void> {
    return this.around({ kind: 'say', text }, () => super.say(text));
  }

  override notice(code: string, message: string): Promise<void> {
    const step = { kind: 'notice', code, message } as const;
    return this.around(step, () => super.notice(code, message));
  }

  override emit(name: string, data: unknown): Promise<void> {
    return this.around({ kind: 'emit', name, data }, () => super.emit(name, data));
  }

  override setMetadata(key: string, value: unknown): Promise<void> {
    const step = { kind: 'set_metadata', key, value } as const;
    return this.around(step, () => super.setMetadata(key, value));
  }

  override tell(agent: AgentHandle | 'parent', text: string): Promise<void> {
    return this.around({ kind: 'tell', agent, text }, () => super.tell(agent, text));
  }

  /** A refused call gets a result in the log: the model reads the reason. */
  private callTool(call: ToolCall): Promise<ToolOutcome> {
    return this.around(
      { kind: 'tool_call', call },
      () => super.callTools([call]).then(([outcome]) => outcome!),
      (reason) => super.refuseCall(call, `This call was refused: ${reason}`),
    );
  }

  /** Never settles if a hook throws: the agent ends then. */
  private around<K extends StepKind>(
    step: StepOf<K>,
    work: () => Promise<Answered[K]>,
    refuse = (reason: string): Promise<Answered[K]> => Promise.reject(refused(step, reason)),
  ): Promise<Answered[K]> {
    refuseInsideStep();
    this.hooks.refuseInsideHook();
    const result = this.hooks.before(step as Step);
    if (!result) return new Promise(() => {});
    const { value: refusal } = result;
    return abandonable(this.told(step, refusal === undefined ? work() : refuse(refusal)));
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

/** The options as hooks see them: changes by hooks have no effect. */
function shown<T extends object>(options: T): T {
  return Object.freeze({ ...options });
}

function refused({ kind }: { readonly kind: StepKind }, reason: string): AppError {
  return new AppError('unprocessable', 'step_refused', `The step "${kind}" was refused: ${reason}`);
}
