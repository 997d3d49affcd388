import { Tripwire } from '../../guardrails/tripwire.js';
import type { Entry } from '../../event-log/append/run-log.js';
import type { Message } from '../../protocol/message.js';
import type { AgentHandle, AgentIdentity, AgentState } from '../../agents/agent-context.js';
import { agentEndKey } from '../journal/completes.js';
import type { CompletingRecord } from '../journal/completes.js';
import type { Conversation } from '../../conversation/conversation.js';
import type { ForkedAgent } from '../effects/fork.effect.js';
import { guardFailure, guardedAgent, trip } from '../guarding/guard-output.js';
import { intervened } from '../scope/interventions.js';
import type { RunningChild } from '../scope/running.js';
import type { AgentScope } from '../scope/agent-scope.js';
import { closeAgent } from '../closing/close-agent.js';
import type { AgentRunOptions } from '../scope/agent-run-options.js';
import type { AgentStatus } from '../../protocol/events.js';
import { AppError } from '../../kernel/app-error.js';

/** The end of a child agent. */
interface AgentEnd {
  readonly status: AgentStatus;
  /** Its answer, or the reason why it has none. */
  readonly result: string;
  /** The block of the answer in whose place its result stands. */
  readonly replaces?: string;
  /** Code of the error that it failed with. */
  readonly code?: string;
}

/** Runs an agent's code; returns its result. */
export type RunAgent = (scope: AgentScope, options: AgentRunOptions) => Promise<string | void>;

interface ChildAgentOptions {
  /** The key of its fork. */
  readonly path: string;
  readonly forked: ForkedAgent;
  readonly runAgent: RunAgent;
}

/**
 * A child agent in one run, from its start to its end. Its outcome is read from the record that
 * ended it, both live and replayed.
 */
export class ChildAgent implements AgentHandle, RunningChild {
  private readonly identity: AgentIdentity;
  private readonly scope: AgentScope;
  private readonly conversation: Conversation;
  private readonly completion: Promise<AgentEnd>;
  private ending: Promise<void> | undefined;
  private current: AgentState = 'running';
  /** ISO 8601; set once its end was delivered. */
  ended_at: string | undefined;

  constructor(
    private readonly parent: AgentScope,
    private readonly options: ChildAgentOptions,
  ) {
    this.identity = options.forked.identity;
    this.scope = parent.child();
    this.conversation = parent.run.conversations.get(this.agent_id);
    this.completion = parent.run.journal
      .completionOf(this.endKey)
      .then((end) => this.complete(end));
  }

  get agent_id(): string {
    return this.identity.id;
  }
  get type(): string {
    return this.identity.type;
  }
  get parent_id(): string {
    return this.identity.parent_id!;
  }
  get parent_tool_call_id(): string | null {
    return this.options.forked.tool_call_id ?? null;
  }
  get metadata(): AgentIdentity['metadata'] {
    return this.identity.metadata;
  }
  get messages(): readonly Message[] {
    return this.conversation.messages;
  }
  get children(): readonly string[] {
    return this.scope.run.conversations.childrenOf(this.agent_id);
  }
  get state(): AgentState {
    return this.current;
  }

  /** Starts its code, unless the journal contains its end. */
  start(): void {
    if (this.hasEnded) return this.parent.release(this.scope);
    if (this.removeIfDeleted()) return;
    this.scope.run.agents.add(this.options.path);
    void this.run().then((end) => this.end(end));
  }

  interrupt(): void {
    this.end({ status: 'cancelled', result: 'Its parent stopped it.' });
  }

  /** Stops it if a person has deleted it, and returns true in that case. */
  removeIfDeleted(): boolean {
    const rows = this.scope.run.interventions.takeDeletes(this.agent_id);
    const [first] = rows;
    if (!first) return false;
    const why = first.user_content === null ? '.' : `: ${first.user_content}`;
    const end = { status: 'cancelled', result: `The user stopped this agent${why}` } as const;
    const told = rows.map((row) => intervened(row, null));
    this.end({ ...end, code: 'agent_deleted' }, told);
    return true;
  }

  /**
   * Its parent has returned without waiting for it. Resolves when none of its work runs any more.
   */
  async abandon(): Promise<void> {
    this.end({ status: 'cancelled', result: 'Its parent finished without waiting for it.' });
    await this.ending;
  }

  /** @throws AgentFailed when it has no answer */
  async answer(): Promise<string> {
    const end = await this.completion;
    if (end.status !== 'completed') throw new AgentFailed(end);
    return end.result;
  }

  private get endKey(): string {
    return agentEndKey(this.options.path);
  }

  /** According to the log, which may be ahead of the parent's state. */
  private get hasEnded(): boolean {
    return (
      this.current !== 'running' ||
      this.parent.run.journal.findCompletion(this.endKey) !== undefined
    );
  }

  private async run(): Promise<AgentEnd> {
    const { identity, scope, conversation } = this;
    const { path, forked, runAgent: run } = this.options;
    try {
      const { settings } = forked;
      const text = await run(scope, { identity, path, conversation, settings });
      const said = conversation.lastText();
      if (typeof text !== 'string' || text === '' || text === said)
        return { status: 'completed', result: said };
      const replaces = conversation.answerBlock;
      return { status: 'completed', result: text, ...(replaces !== undefined && { replaces }) };
    } catch (error) {
      const { code, message } = guardFailure(scope.run, guardedAgent(identity), error);
      return { status: 'error', result: message, code };
    }
  }

  /**
   * Writes its end once, and not if an agent above has stopped it: that one ends its whole subtree.
   */
  private end(end: AgentEnd, told: readonly Entry[] = []): void {
    if (this.ending || this.scope.signal.aborted || this.hasEnded) return;
    const ending = this.close(end, told);
    this.ending = ending.catch(() => {});
    this.parent.track(ending);
  }

  private async close(end: AgentEnd, told: readonly Entry[]): Promise<void> {
    this.scope.stop();
    this.scope.run.journal.abandon(this.options.path);
    await this.scope.drain();
    this.parent.signal.throwIfAborted();
    const entries = await closeAgent(this.scope.run, this.agent_id);
    this.parent.signal.throwIfAborted();
    await this.parent.append([...told, ...entries, this.completed(end)]);
    this.parent.release(this.scope);
    this.scope.run.endAgents(this.options.path);
  }

  private completed({ code, ...end }: AgentEnd): Entry {
    const hidden = code === undefined ? null : { code };
    return {
      agent_id: this.agent_id,
      key: this.endKey,
      body: { type: 'AGENT_COMPLETED', ...end },
      hidden,
    };
  }

  private complete({ body, hidden, at }: CompletingRecord): AgentEnd {
    if (body.type !== 'AGENT_COMPLETED') throw new TypeError('not the end of an agent');
    this.ended_at = at;
    this.current = body.status;
    const { status, result } = body;
    const end = { status, result, ...(hidden && 'code' in hidden && { code: hidden.code }) };
    if (Tripwire.from({ code: end.code, message: result })) trip(this.parent.run, result);
    return end;
  }
}

/** A child agent that has no answer: it failed, with the `code` of its error, or was cancelled. */
class AgentFailed extends AppError {
  constructor({ code = 'agent_cancelled', result }: AgentEnd) {
    super('unprocessable', code, result);
  }
}
