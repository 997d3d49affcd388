import { AppError } from '../../kernel/app-error.js';
import type { Message, ToolCall } from '../../protocol/message.js';
import type { Children } from '../children/children.js';
import type { AgentScope } from '../scope/agent-scope.js';
import type { AgentRunOptions } from '../scope/agent-run-options.js';
import { AgentContext } from '../../agents/agent-context.js';
import type {
  AgentHandle,
  AgentIdentity,
  AskOptions,
  ForkOptions,
  GenerateOptions,
  ToolOutcome,
  Turn,
} from '../../agents/agent-context.js';
import { AskEffect } from '../effects/ask.effect.js';
import { abandonable, perform } from '../effects/effect.js';
import type { Effect } from '../effects/effect.js';
import { EmitEffect, customBody, metadataBody } from '../effects/emit.effect.js';
import type { EmittedBody } from '../effects/emit.effect.js';
import { GenerateEffect } from '../effects/generate.effect.js';
import { NoticeEffect, SayEffect } from '../effects/say.effect.js';
import { StepEffect, refuseInsideStep } from '../effects/step.effect.js';
import { TellEffect, parentOf } from '../effects/tell.effect.js';
import type { ToolCallInput } from '../tool-call/tool-call-input.js';
import { ToolEffect } from '../tool-call/tool.effect.js';

export interface ContextParts extends AgentRunOptions {
  readonly scope: AgentScope;
  readonly children: Children;
}

/** The context of one agent in one run: gives each effect its journal key. */
export class JournaledContext extends AgentContext {
  /** Effects so far, in the order of their calls. */
  private effects = 0;
  private metadataCalls = 0;
  private isClosed = false;
  /** Calls made by this agent's turns that have not run yet. */
  private readonly openCalls = new Map<string, { readonly key: string; readonly call: ToolCall }>();

  constructor(private readonly parts: ContextParts) {
    super();
  }

  get agent(): AgentIdentity {
    return this.parts.identity;
  }

  get messages(): readonly Message[] {
    return this.parts.conversation.shown;
  }

  get signal(): AbortSignal {
    return this.parts.scope.signal;
  }

  get resources(): unknown {
    return this.parts.scope.resources.value;
  }

  get instructions(): string | undefined {
    return this.parts.settings.instructions;
  }

  get metadata(): Readonly<Record<string, unknown>> {
    return this.parts.scope.run.metadata.current;
  }

  get max_iterations(): number {
    const { scope, settings } = this.parts;
    return settings.max_iterations ?? scope.run.interaction.settings.max_iterations;
  }

  get client_tools(): readonly string[] {
    return this.parts.scope.run.interaction.settings.client_tools.map(({ name }) => name);
  }

  /**
   * The agent has returned: effects that its code requests afterwards never start, so that a replay
   * finds no later step.
   */
  close(): void {
    this.isClosed = true;
  }

  generate(wanted: GenerateOptions = {}): Promise<Turn> {
    const key = this.nextKey();
    const { max_iterations: _, ...settings } = this.parts.settings;
    const options = { ...settings, ...wanted };
    const { agent, messages: conversation } = this;
    const { before } = this.parts.conversation;
    const effect = new GenerateEffect(this.parts.scope, {
      key,
      agent,
      options,
      conversation,
      before,
    });
    return abandonable(this.perform(effect).then((turn) => this.openCallsOf(key, turn)));
  }

  callTools(calls: readonly ToolCall[]): Promise<readonly ToolOutcome[]> {
    refuseInsideStep();
    const effects = calls.map((call) => this.toolEffect(call));
    return Promise.all(effects.map((effect) => this.perform(effect)));
  }

  /** The call gets this refusal as its result, unless an earlier run has started it. */
  refuseCall(call: ToolCall, refusal: string): Promise<ToolOutcome> {
    return this.perform(this.toolEffect(call, refusal));
  }

  ask(question: string, options: AskOptions = {}): Promise<string | null> {
    const key = this.nextKey();
    return this.perform(
      new AskEffect(this.parts.scope, { key, agent: this.agent, question, options }),
    );
  }

  fork(prompt: string, options: ForkOptions = {}): Promise<AgentHandle> {
    const key = this.nextKey();
    if (this.isClosed) return new Promise(() => {});
    return this.parts.children.fork({ key, prompt, options });
  }

  wait(child: AgentHandle): Promise<string> {
    refuseInsideStep();
    return this.parts.children.wait(child);
  }

  step<T>(name: string, fn: () => Promise<T> | T): Promise<T> {
    const { agent } = this;
    return this.perform(new StepEffect(this.parts.scope, { key: this.nextKey(), agent, name, fn }));
  }

  say(text: string): Promise<void> {
    return this.perform(new SayEffect(this.parts.scope, this.agent, { key: this.nextKey(), text }));
  }

  notice(code: string, message: string): Promise<void> {
    const key = this.nextKey();
    return this.perform(new NoticeEffect(this.parts.scope, this.agent, { key, code, message }));
  }

  async emit(name: string, data: unknown): Promise<void> {
    await this.send(customBody(name, data));
  }

  async setMetadata(key: string, value: unknown): Promise<void> {
    await this.send(metadataBody(key, value, ++this.metadataCalls));
  }

  async tell(agent: AgentHandle | 'parent', text: string): Promise<void> {
    const to = agent === 'parent' ? parentOf(this.agent) : this.parts.children.idOf(agent);
    const { agent: teller, parts } = this;
    const input = { key: this.nextKey(), agent: teller, to, text };
    await this.perform(new TellEffect(parts.scope, input));
  }

  private send(body: EmittedBody): Promise<void> {
    const key = this.nextKey();
    return this.perform(new EmitEffect(this.parts.scope, this.agent, { key, body }));
  }

  private openCallsOf(key: string, turn: Turn): Turn {
    turn.tool_calls.forEach((call, i) => this.openCalls.set(call.id, { key: `${key}.${i}`, call }));
    return turn;
  }

  private perform<T>(effect: Effect<T>): Promise<T> {
    return this.isClosed ? new Promise(() => {}) : perform(this.parts.scope, effect);
  }

  private nextKey(): string {
    refuseInsideStep();
    return `${this.parts.path}/${++this.effects}`;
  }

  private toolEffect({ id }: ToolCall, refusal?: string): ToolEffect {
    const open = this.openCalls.get(id);
    if (!open)
      throw new AppError(
        'internal',
        'unknown_tool_call',
        `callTools was given the call ${id}, which is not an open call of this agent's turns. Pass calls of a turn, each once.`,
      );
    this.openCalls.delete(id);
    const { agent } = this;
    const nest = (call: ToolCallInput) => new ToolEffect(this.parts.scope, call);
    return nest({ ...open, agent, children: this.parts.children, nest, refusal });
  }
}
