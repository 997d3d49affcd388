import type { Clock } from '../../kernel/clock.js';
import type { Ids } from '../../kernel/ids.js';
import type { LogRecord } from '../../log/log-record.js';
import type { NewRequest, RequestKind, RequestRow, Settlement } from '../../log/request-rows.js';
import type { AppendEffects, Entry, RunLog } from '../../log/run-log.js';
import { RunLost } from '../../log/run-lost.js';
import type { InteractionRow } from '../../log/store-rows.js';
import type { ModelRegistry } from '../../models/model-registry.js';
import type { RecordBody } from '../../protocol/events.js';
import type { InteractionStatus, Usage } from '../../protocol/interaction.js';
import type { ToolExecutor } from '../../tools/tool-executor.js';
import type { ToolRegistry } from '../../tools/tool-registry.js';
import type { Journal } from '../journal/journal.js';
import type { Activity } from './activity.js';
import type { CallIds } from './call-ids.js';
import type { DeferredCall } from './deferred-call.js';
import { RequestDesk } from './request-desk.js';
import type { ToolJudge } from '../../permissions/tool-judge.js';
import type { TurnStream } from './turn-stream.js';

export interface RunServices {
  readonly models: ModelRegistry;
  readonly tools: ToolRegistry;
  readonly executor: ToolExecutor;
  readonly judge: ToolJudge;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface RunScopeOptions {
  readonly interaction: InteractionRow;
  readonly services: RunServices;
  readonly log: RunLog;
  readonly journal: Journal;
  readonly call_ids: CallIds;
  /** How long a request stays open, in milliseconds; 0: for ever. */
  readonly request_timeout_ms: number;
  /** Called with what the run does now, whether or not that has changed. */
  readonly onActivity: (activity: Activity) => void;
  /** Aborts when the run has to stop, for whatever reason. */
  readonly signal: AbortSignal;
}

/** What the agents of one run share. */
export class RunScope {
  /** Model turns that are being streamed. */
  readonly turns = new Set<TurnStream>();
  /** Tool calls that did not stop when they were told to (I7). */
  readonly unstoppable = new Set<string>();
  /** Rejects when the run can't go on, whatever the agent does. */
  readonly failure: Promise<never>;
  private readonly working = new Set<Promise<void>>();
  private readonly deferred = new Set<Promise<void>>();
  private readonly desk = new RequestDesk(() => this.onWorkChange());
  private status: InteractionStatus;
  private turn: Promise<unknown> = Promise.resolve();
  /** Pieces of work that only wait for another one. */
  private suspended = 0;
  /** Those of them that could not be run again. */
  private pinned = 0;
  private usage: Usage;
  private rejectFailure: (error: unknown) => void = () => {};

  constructor(private readonly options: RunScopeOptions) {
    this.usage = options.interaction.usage;
    this.status = options.interaction.status;
    this.failure = new Promise((_, reject) => {
      this.rejectFailure = reject;
    });
    this.failure.catch(() => {});
  }

  get interaction(): InteractionRow {
    return this.options.interaction;
  }
  get services(): RunServices {
    return this.options.services;
  }
  get log(): RunLog {
    return this.options.log;
  }
  get journal(): Journal {
    return this.options.journal;
  }
  get callIds(): CallIds {
    return this.options.call_ids;
  }
  get signal(): AbortSignal {
    return this.options.signal;
  }

  /** @throws what ends the caller's work too: nothing may be started any more */
  throwIfStopped(): void {
    this.signal.throwIfAborted();
    if (!this.log.isHeld) throw new RunLost();
  }

  /** Keeps an eye on work that an effect has begun: what goes wrong there, apart from being stopped, ends the run. */
  track(work: Promise<void>): void {
    const watched = work.catch((error: unknown) => {
      if (error instanceof RunLost || !this.signal.aborted) this.fail(error);
    });
    this.working.add(watched);
    void watched.finally(() => {
      this.working.delete(watched);
      this.onWorkChange();
    });
    this.onWorkChange();
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
    this.rejectFailure(error);
  }

  /** Resolves when nothing that an effect began is running any more. */
  async settled(): Promise<void> {
    while (this.working.size > 0) await Promise.all(this.working);
  }

  /** Answers the new total. */
  addUsage({ input_tokens, output_tokens }: Usage): Usage {
    this.usage = {
      input_tokens: this.usage.input_tokens + input_tokens,
      output_tokens: this.usage.output_tokens + output_tokens,
    };
    return this.usage;
  }

  /** Appends, with the interaction's status where that has changed. */
  append(entries: readonly Entry[], effects: AppendEffects = {}): Promise<readonly LogRecord[]> {
    const { status } = this.desk;
    if (effects.status !== undefined || status === this.status)
      return this.log.append(entries, effects);
    this.status = status;
    return this.log.append(entries, { ...effects, status });
  }

  /** Asks for something: the record that tells of it and the row that can be settled, in one append. */
  async request(request: Omit<NewRequest, 'created_at'>, body: RecordBody): Promise<void> {
    const { agent_id, key, id, kind } = request;
    this.desk.expect(id, kind);
    const created_at = this.services.clock.now().toISOString();
    await this.append([{ agent_id, key, body }], { requests: [{ ...request, created_at }] });
  }

  /** Resolves when the request is settled, in this run or an earlier one. Rejects when the run is stopped. */
  waitFor(requestId: string, kind: RequestKind): Promise<Settlement> {
    return this.desk.wait(requestId, kind, this.signal);
  }

  /** What a request came to, if this run knows. */
  settlementOf(requestId: string): Settlement | undefined {
    return this.desk.settlementOf(requestId);
  }

  /** What the store says of this interaction's requests. */
  takeRequests(rows: readonly RequestRow[]): void {
    this.desk.take(rows);
  }

  /** When a request that is made now expires; null: never. */
  expiry(): string | null {
    const { request_timeout_ms } = this.options;
    if (request_timeout_ms === 0) return null;
    return new Date(this.services.clock.now().getTime() + request_timeout_ms).toISOString();
  }

  /** One after the other: parallel calls are judged and asked about in their order. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => {});
    return done;
  }

  /** A piece of work waits for another one, until the returned function is called. Unless it can be run again, it pins the run to memory. */
  suspend(repeatable: boolean): () => void {
    const pins = repeatable ? 0 : 1;
    const count = (by: 1 | -1): void => {
      this.suspended += by;
      this.pinned += by * pins;
      this.onWorkChange();
    };
    count(1);
    return () => count(-1);
  }

  private onWorkChange(): void {
    const { size } = this.desk;
    const waits = size > 0 && size + this.suspended === this.working.size;
    if (!waits) this.options.onActivity('working');
    else this.options.onActivity(this.pinned > 0 ? 'waiting' : 'parkable');
  }
}
