import type { Entry } from '../../log/run-log.js';
import type { AgentHandle, AgentIdentity, AgentState } from '../agent-context.js';
import { agentEndKey } from '../journal/agent-end-key.js';
import type { CompletingRecord } from '../journal/completes.js';
import type { AgentEnd, AgentEndJournal } from './agent-end.js';
import { AgentFailed } from './agent-failed.js';
import type { AgentRunOptions } from './agent-run.js';
import { describeFailure } from './describe-failure.js';
import type { ForkedAgent } from './fork.effect.js';
import type { RunScope } from './run-scope.js';
import { settleInTime } from './settle-in-time.js';

/** Runs an agent's code; answers what it returned. */
export type RunAgent = (scope: RunScope, options: AgentRunOptions) => Promise<string | void>;

export interface ChildAgentOptions {
  /** The key of its fork. */
  readonly path: string;
  readonly forked: ForkedAgent;
  readonly runAgent: RunAgent;
}

/** A child agent in one run, from its start to its end. What it came to is read from the record that ended it, live and replayed. */
export class ChildAgent implements AgentHandle {
  private readonly identity: AgentIdentity;
  private readonly scope: RunScope;
  private readonly completion: Promise<AgentEnd>;
  private ending: Promise<void> | undefined;
  private current: AgentState = 'running';

  constructor(
    private readonly parent: RunScope,
    private readonly options: ChildAgentOptions,
  ) {
    this.identity = options.forked.identity;
    this.scope = parent.child();
    this.completion = parent.journal.take(this.endKey).then((end) => this.complete(end));
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
  get state(): AgentState {
    return this.current;
  }

  /** Starts its code, unless the journal has its end. */
  start(): void {
    if (this.hasEnded) return this.parent.release(this.scope);
    this.scope.shared.agents.add(this.options.path);
    void this.run().then((end) => this.end(end));
  }

  interrupt(): void {
    this.end({ status: 'cancelled', result: 'Its parent stopped it.' });
  }

  /** Its parent is done and doesn't wait for it. Resolves when nothing of it is running any more. */
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

  /** As far as the log tells, which may be ahead of what its parent knows. */
  private get hasEnded(): boolean {
    return this.current !== 'running' || this.parent.journal.find(this.endKey) !== undefined;
  }

  private async run(): Promise<AgentEnd> {
    const { identity, scope } = this;
    const { path, forked, runAgent: run } = this.options;
    const conversation = scope.shared.conversations.get(identity.id);
    try {
      const { settings } = forked;
      const text = await run(scope, { identity, path, conversation, settings });
      const hasText = typeof text === 'string' && text !== '';
      return { status: 'completed', result: hasText ? text : conversation.lastText() };
    } catch (error) {
      const { code, message } = describeFailure(error);
      return { status: 'error', result: message, code };
    }
  }

  /** Once, and not when an agent above has stopped it: that one ends its whole subtree. */
  private end(end: AgentEnd): void {
    if (this.ending || this.scope.signal.aborted || this.hasEnded) return;
    const ending = this.close(end);
    this.ending = ending.catch(() => {});
    this.parent.track(ending);
  }

  private async close(end: AgentEnd): Promise<void> {
    this.scope.stop();
    this.scope.journal.abandon(this.options.path);
    await settleInTime(this.scope);
    this.parent.signal.throwIfAborted();
    const entries = await this.scope.leftovers.close(this.agent_id);
    this.parent.signal.throwIfAborted();
    await this.parent.append([...entries, this.completed(end)]);
    this.parent.release(this.scope);
    this.scope.shared.endAgents(this.options.path);
  }

  private completed({ status, result, code }: AgentEnd): Entry {
    const hidden: AgentEndJournal = code === undefined ? null : { code };
    return {
      agent_id: this.agent_id,
      key: this.endKey,
      body: { type: 'AGENT_COMPLETED', status, result },
      hidden,
    };
  }

  private complete({ body, hidden }: CompletingRecord): AgentEnd {
    if (body.type !== 'AGENT_COMPLETED') throw new TypeError('not the end of an agent');
    this.current = body.status;
    const { status, result } = body;
    return { status, result, ...(hidden as AgentEndJournal) };
  }
}
