import { setMaxListeners } from 'node:events';
import type { AppendEffects, Entry } from '../../event-log/append/run-log.js';
import { LeaseLostError } from '../../event-log/append/lease-lost.error.js';
import { AppError } from '../../kernel/app-error.js';
import { doneWithin } from '../../kernel/async/promises.js';
import { ServerStopped } from '../../kernel/server-stopped.js';
import type { LogRecord, RecordContent } from '../../persistence/rows/log-record.js';
import type { NewRequest, Settlement } from '../../persistence/rows/request-rows.js';
import { Resources } from '../../tools/core/resources.js';
import type { RunScope } from './run-scope.js';
import type { DeferredWork } from './running.js';
import type { RequestKind } from '../../protocol/wire/request.js';

/** Grace period for all stopped work of an agent, in milliseconds: more than for one tool. */
const DRAIN_GRACE_MS = 8_000;
/**
 * Time that the cleanup waits for stopped work, in milliseconds: less than the grace period, so
 * that both fit.
 */
const CLEANUP_DELAY_MS = 6_000;

/**
 * Scope of one agent of a run: its signal, its work in progress and its resources. `run` is the
 * state that all agents share.
 */
export class AgentScope {
  /** Aborts when the agent has to stop, for any reason; its children's signals abort first (I7). */
  readonly signal: AbortSignal;
  /** Number of agents above it. */
  readonly depth: number;
  /** The root's child that this agent is or descends from; undefined for the root. */
  readonly branch: AgentScope | undefined;
  private readonly abort = new AbortController();
  private readonly children = new Set<AgentScope>();
  private readonly working = new Set<Promise<void>>();
  private readonly deferred = new Set<Promise<void>>();
  private cleanup: Promise<void> = Promise.resolve();
  /** Resources for its tools; its parent's unless it makes its own. */
  resources = new Resources();

  /** `signal` stops the agent from outside. */
  constructor(
    readonly run: RunScope,
    signal?: AbortSignal,
    parent?: AgentScope,
  ) {
    this.depth = parent ? parent.depth + 1 : 0;
    this.branch = parent?.branch ?? (parent && this);
    this.signal = this.abort.signal;
    setMaxListeners(Infinity, this.signal); // each effect in progress listens
    if (signal?.aborted) this.stop(signal.reason);
    signal?.addEventListener('abort', () => this.stop(signal.reason), { once: true });
  }

  /** The scope of a child agent; it stops with this one. */
  child(): AgentScope {
    const child = new AgentScope(this.run, undefined, this);
    child.resources = this.resources;
    this.children.add(child);
    if (this.signal.aborted) child.stop(this.signal.reason);
    return child;
  }

  /** The child has ended. */
  release(child: AgentScope): void {
    this.children.delete(child);
  }

  /** Stops the agent and its subtree, children first (I7). */
  stop(reason?: unknown): void {
    for (const child of this.children) child.stop(reason);
    this.abort.abort(reason);
  }

  /** @throws the abort reason, or LeaseLostError, if nothing may be started any more */
  throwIfStopped(): void {
    this.signal.throwIfAborted();
    if (!this.run.log.isHeld) throw new LeaseLostError();
  }

  /**
   * Throws like `throwIfStopped`, but not while work that a shutdown has stopped may still write
   * its outcome.
   */
  throwUnlessWritable(): void {
    const { aborted, reason } = this.signal;
    const isWritable = !aborted || (reason instanceof ServerStopped && !reason.graceIsOver);
    if (!isWritable) this.signal.throwIfAborted();
    if (!this.run.log.isHeld) throw new LeaseLostError();
  }

  /**
   * Tracks the work of an effect. If it fails for any reason except being stopped, the run fails.
   */
  track(work: Promise<void>): void {
    const watched = work.catch((error: unknown) => {
      if (error instanceof LeaseLostError || !this.signal.aborted) this.run.fail(error);
    });
    const end = this.run.activity.begin();
    this.working.add(watched);
    void watched.finally(() => {
      this.working.delete(watched);
      end();
    });
  }

  /** Starts a deferred call: the agent does not wait for it, but its end does. */
  defer(call: DeferredWork): void {
    const work = call.run();
    this.track(work);
    const done = work.catch(() => {}).then(() => void this.deferred.delete(done));
    this.deferred.add(done);
  }

  /** Resolves when no deferred call is open. */
  async deferredDone(): Promise<void> {
    while (this.deferred.size > 0) await Promise.all(this.deferred);
  }

  /**
   * Runs `work` once the agent is stopped and its work in progress is over or timed out. It must
   * not reject.
   */
  addCleanup(work: () => Promise<void>): void {
    const begin = (): void => {
      this.cleanup = doneWithin(this.idle(), CLEANUP_DELAY_MS).then(work);
    };
    if (this.signal.aborted) return begin();
    this.signal.addEventListener('abort', begin, { once: true });
  }

  /**
   * Resolves when all work of the agent and its subtree is over and cleaned up, or the grace period
   * is over.
   */
  async drain(grace_ms = DRAIN_GRACE_MS): Promise<void> {
    await doneWithin(this.drained(), grace_ms);
  }

  private async drained(): Promise<void> {
    await this.idle();
    await this.cleanup;
  }

  private async idle(): Promise<void> {
    while (this.working.size > 0) await Promise.all(this.working);
    await Promise.all([...this.children].map((child) => child.drained()));
  }

  /** Rejects once the agent is stopped: the code that stopped it then writes its end. */
  async append(entries: readonly Entry[], effects?: AppendEffects): Promise<readonly LogRecord[]> {
    this.signal.throwIfAborted();
    this.requireRoom(entries.length);
    return this.run.append(entries, effects);
  }

  /**
   * Appends like `append`, but also writes the outcome of work that a shutdown has stopped, within
   * its grace period.
   */
  async appendOutcome(entries: readonly Entry[]): Promise<void> {
    this.throwUnlessWritable();
    this.requireRoom(entries.length);
    await this.run.append(entries);
  }

  async request(request: Omit<NewRequest, 'created_at'>, content: RecordContent): Promise<void> {
    this.signal.throwIfAborted();
    this.requireRoom(1);
    return this.run.request(request, content);
  }

  /** Fails the run, whatever its agents catch, if the log is full; its end still has room. */
  private requireRoom(count: number): void {
    const { maxRecords } = this.run.services.config;
    if (this.run.log.lastSeq + count <= maxRecords) return;
    const error = new AppError(
      'unprocessable',
      'too_many_records',
      `The log of one interaction may have ${maxRecords} records, and it is full. Send a new message to go on.`,
    );
    this.run.fail(error);
    throw error;
  }

  /**
   * Resolves when the request is settled, in this run or an earlier one. Rejects once the agent is
   * stopped.
   */
  async waitFor(requestId: string, kind: RequestKind): Promise<Settlement> {
    this.signal.throwIfAborted();
    return this.run.requests.wait(requestId, kind, this.signal);
  }
}
