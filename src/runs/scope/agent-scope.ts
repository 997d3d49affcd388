import { setMaxListeners } from 'node:events';
import { ServerStopped } from '../../kernel/server-stopped.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type {
  NewRequest,
  RequestKind,
  RequestRow,
  Settlement,
} from '../../persistence/rows/request-rows.js';
import type { AppendEffects, Entry, RunLog } from '../../event-log/append/run-log.js';
import { LeaseLostError } from '../../event-log/append/lease-lost.error.js';
import type { InteractionRow } from '../../persistence/rows/store-rows.js';
import type { RecordBody } from '../../protocol/events.js';
import type { Usage } from '../../protocol/interaction.js';
import { Resources } from '../../tools/resources.js';
import type { Journal } from '../journal/journal.js';
import type { CallIds } from '../../conversation/call-ids.js';
import type { DeferredCall } from '../tool-call/deferred-call.js';
import { doneWithin } from '../../kernel/done-within.js';
import type { Leftovers } from './leftovers.js';
import type { ScopeServices, RunScope } from './run-scope.js';
import type { TurnStream } from '../model-turn/turn-stream.js';

/** How long what comes last waits for all else, in milliseconds. A tool that doesn't stop is given up before that. */
const IDLE_MS = 6_000;

/** What one agent of a run works with: what all of them share, and a signal and work of its own. */
export class AgentScope {
  /** Aborts when the agent has to stop, for whatever reason: after those of its children. */
  readonly signal: AbortSignal;
  /** How many agents are above it. */
  readonly depth: number;
  /** The root's child that it is or comes from; undefined for the root. */
  readonly branch: AgentScope | undefined;
  private readonly abort = new AbortController();
  private readonly children = new Set<AgentScope>();
  private readonly working = new Set<Promise<void>>();
  private readonly deferred = new Set<Promise<void>>();
  private last: Promise<void> = Promise.resolve();
  /** What its tools find; its parent's unless it has its own. */
  resources = new Resources();

  /** `signal` stops it from outside. */
  constructor(
    readonly shared: RunScope,
    signal?: AbortSignal,
    parent?: AgentScope,
  ) {
    this.depth = parent ? parent.depth + 1 : 0;
    this.branch = parent?.branch ?? (parent && this);
    this.signal = this.abort.signal;
    setMaxListeners(Infinity, this.signal); // each effect that runs listens
    if (signal?.aborted) this.stop(signal.reason);
    signal?.addEventListener('abort', () => this.stop(signal.reason), { once: true });
  }

  /** The scope of a child agent; it stops with this one. */
  child(): AgentScope {
    const child = new AgentScope(this.shared, undefined, this);
    child.resources = this.resources;
    this.children.add(child);
    if (this.signal.aborted) child.stop(this.signal.reason);
    return child;
  }

  /** A child has ended. */
  release(child: AgentScope): void {
    this.children.delete(child);
  }

  /** Stops the agent and its subtree, children first (I7). */
  stop(reason?: unknown): void {
    for (const child of this.children) child.stop(reason);
    this.abort.abort(reason);
  }

  get interaction(): InteractionRow {
    return this.shared.options.interaction;
  }
  get services(): ScopeServices {
    return this.shared.options.services;
  }
  get log(): RunLog {
    return this.shared.options.log;
  }
  get journal(): Journal {
    return this.shared.options.journal;
  }
  get callIds(): CallIds {
    return this.shared.options.call_ids;
  }
  get leftovers(): Leftovers {
    return this.shared.options.leftovers;
  }
  get turns(): Set<TurnStream> {
    return this.shared.turns;
  }
  get unstoppable(): Set<string> {
    return this.shared.unstoppable;
  }
  get failure(): Promise<never> {
    return this.shared.failure;
  }

  /** @throws what ends the caller's work too: nothing may be started any more */
  throwIfStopped(): void {
    this.signal.throwIfAborted();
    if (!this.log.isHeld) throw new LeaseLostError();
  }

  /** @throws as `throwIfStopped`, but not where what came of the work is still written down */
  throwIfUnheard(): void {
    const { aborted, reason } = this.signal;
    const isHeard = !aborted || (reason instanceof ServerStopped && !reason.graceIsOver);
    if (!isHeard) this.signal.throwIfAborted();
    if (!this.log.isHeld) throw new LeaseLostError();
  }

  /** Keeps an eye on work that an effect has begun: what goes wrong there, apart from being stopped, ends the run. */
  track(work: Promise<void>): void {
    const watched = work.catch((error: unknown) => {
      if (error instanceof LeaseLostError || !this.signal.aborted) this.fail(error);
    });
    const end = this.shared.begin();
    this.working.add(watched);
    void watched.finally(() => {
      this.working.delete(watched);
      end();
    });
  }

  /** A call that its agent doesn't wait for, but the interaction does. */
  defer(call: DeferredCall): void {
    const work = call.run();
    this.track(work);
    const done = work.catch(() => {}).then(() => void this.deferred.delete(done));
    this.deferred.add(done);
  }

  /** Resolves when no deferred call is open any more. */
  async deferredSettled(): Promise<void> {
    while (this.deferred.size > 0) await Promise.all(this.deferred);
  }

  fail(error: unknown): void {
    this.shared.fail(error);
  }

  /** Does this when the agent has been stopped and nothing of it is running any more, or it has had its time to stop. Must not reject. */
  doLast(work: () => Promise<void>): void {
    const begin = (): void => {
      this.last = doneWithin(this.idle(), IDLE_MS).then(work);
    };
    if (this.signal.aborted) return begin();
    this.signal.addEventListener('abort', begin, { once: true });
  }

  /** Resolves when nothing that an effect of this agent or its subtree began is running any more, and what comes last is done. */
  async settled(): Promise<void> {
    await this.idle();
    await this.last;
  }

  private async idle(): Promise<void> {
    while (this.working.size > 0) await Promise.all(this.working);
    await Promise.all([...this.children].map((child) => child.settled()));
  }

  addUsage(usage: Usage): Usage {
    return this.shared.addUsage(usage);
  }

  /** Rejects when the agent is stopped: whoever stopped it writes its end. */
  async append(
    entries: readonly Entry[],
    effects: AppendEffects = {},
  ): Promise<readonly LogRecord[]> {
    this.signal.throwIfAborted();
    return this.shared.append(entries, effects);
  }

  /** Appends what came of work, also of work that was stopped with the server: whoever else stopped the agent writes that. */
  async appendOutcome(entries: readonly Entry[]): Promise<void> {
    this.throwIfUnheard();
    await this.shared.append(entries, {});
  }

  async request(request: Omit<NewRequest, 'created_at'>, body: RecordBody): Promise<void> {
    this.signal.throwIfAborted();
    return this.shared.request(request, body);
  }

  /** Resolves when the request is settled, in this run or an earlier one. Rejects when the agent is stopped. */
  async waitFor(requestId: string, kind: RequestKind): Promise<Settlement> {
    this.signal.throwIfAborted();
    return this.shared.waitFor(requestId, kind, this.signal);
  }

  /** What a request came to, if this run knows. */
  settlementOf(requestId: string): Settlement | undefined {
    return this.shared.settlementOf(requestId);
  }

  decline(requestId: string): Promise<void> {
    return this.shared.decline(requestId);
  }

  openQuestions(callKey: string): readonly string[] {
    return this.shared.openQuestions(callKey);
  }

  /** What the store says of this interaction's requests. */
  takeRequests(rows: readonly RequestRow[]): void {
    this.shared.takeRequests(rows);
  }

  expiry(): string | null {
    return this.shared.expiry();
  }

  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.shared.inTurn(work);
  }

  suspend(repeatable: boolean): () => void {
    return this.shared.suspend(repeatable);
  }
}
