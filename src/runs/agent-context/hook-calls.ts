import { AsyncResource } from 'node:async_hooks';
import { AppError } from '../../kernel/app-error.js';
import type { Message } from '../../protocol/message.js';
import type { DoneStep, HookContext, Step } from '../../agents/agent-hooks.js';
import type { Hooks } from '../../agents/server-hooks.js';
import type { AgentCode } from '../effects/agent-code.js';
import type { Conversation } from '../../conversation/conversation.js';

const HOOKS = ['beforeStep', 'afterStep', 'onMessage'] as const;

/** The value that a hook returned; undefined if the agent ends instead. */
type HookResult<T> = { readonly value: T } | undefined;

interface HookCallsOptions {
  /** Hooks of the server, then the agent's own. */
  readonly hooks: readonly Hooks[];
  readonly conversation: Conversation;
  /** Ends the agent. */
  readonly fail: AgentCode['fail'];
  /** Aborts when the agent is stopped. */
  readonly signal: AbortSignal;
}

/**
 * Calls the hooks of one agent in one run, for as long as its code runs. A hook that throws ends
 * the agent.
 */
export class HookCalls {
  private ctx: HookContext | undefined;
  private isClosed = false;
  private isCalling = false;
  /** Messages of people since the last message of the model or of a tool. */
  private said: Message[] = [];
  /** Runs code as the agent's own, regardless of the caller. */
  private readonly asAgent: (code: () => void) => void;

  constructor(private readonly options: HookCallsOptions) {
    this.asAgent = AsyncResource.bind((code: () => void) => code());
  }

  static areIn(hooks: readonly Hooks[]): boolean {
    return hooks.some((each) => HOOKS.some((hook) => each[hook] !== undefined));
  }

  get isOpen(): boolean {
    return !this.isClosed && !this.options.signal.aborted;
  }

  /** The agent starts, with the initial messages of its conversation. False: the agent ends. */
  open(ctx: HookContext): boolean {
    this.ctx = ctx;
    const { conversation } = this.options;
    for (const message of conversation.added()) this.onMessage(message);
    conversation.onJoin = (message, isOutcome) => this.onJoin(message, isOutcome);
    return this.isOpen;
  }

  /** The agent has returned this text. False: it ends with another outcome. */
  close(text: string | void): boolean {
    const isNew = typeof text === 'string' && text !== '';
    if (isNew && text !== this.options.conversation.lastText())
      this.onMessage({ role: 'assistant', content: text });
    const isWell = !this.isClosed;
    this.isClosed = true;
    return isWell;
  }

  /** Reason to refuse the step, if any. Undefined: the agent ends. */
  before(step: Step): HookResult<string | void> {
    for (const hooks of this.options.hooks) {
      const result = this.call((ctx) => hooks.beforeStep?.(step, ctx));
      if (!result || result.value !== undefined) return result;
    }
    return { value: undefined };
  }

  /** Undefined: the agent ends. */
  after(step: DoneStep): HookResult<void> {
    return this.callAll((hooks, ctx) => hooks.afterStep?.(step, ctx));
  }

  /** @throws AppError if called from a hook */
  refuseInsideHook(): void {
    if (!this.isCalling) return;
    throw new AppError(
      'internal',
      'context_in_hook',
      'An effect of ctx was asked for inside of a hook. Hooks only look and refuse: keep in ctx.resources what run is to act on.',
    );
  }

  /**
   * On a replay, a message of a person may be in the log before the agent's code reaches that
   * point, and is then delivered earlier than it was live. The result of a step is not: so messages
   * of people are reported together with the next result.
   */
  private onJoin(message: Message, isOutcome: boolean): void {
    this.said.push(message);
    if (!isOutcome) return;
    for (const each of this.said.splice(0)) this.onMessage(each);
  }

  private onMessage(message: Message): void {
    this.callAll((hooks, ctx) => hooks.onMessage?.(message, ctx));
  }

  private callAll(hook: (hooks: Hooks, ctx: HookContext) => void): HookResult<void> {
    for (const hooks of this.options.hooks)
      if (!this.call((ctx) => hook(hooks, ctx))) return undefined;
    return { value: undefined };
  }

  private call<T>(hook: (ctx: HookContext) => T): HookResult<T> {
    if (!this.isOpen || !this.ctx) return undefined;
    const { ctx } = this;
    let result: HookResult<T>;
    this.asAgent(() => {
      try {
        this.isCalling = true;
        result = { value: requireSynchronous(hook(ctx)) };
      } catch (error) {
        this.isClosed = true;
        this.options.fail(error);
      } finally {
        this.isCalling = false;
      }
    });
    return result;
  }
}

function requireSynchronous<T>(said: T): T {
  if (!(said instanceof Promise)) return said;
  said.catch(() => {});
  throw new AppError(
    'internal',
    'hook_not_synchronous',
    'A hook answered a promise. Hooks are synchronous, so that a replay calls them in the same order: do what takes time in run, in ctx.step.',
  );
}
