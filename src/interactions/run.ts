import { setImmediate as nextTick } from 'node:timers/promises';
import type { Activity } from '../agents/runtime/activity.js';
import { runAgent } from '../agents/runtime/agent-run.js';
import { CallIds } from '../agents/runtime/call-ids.js';
import { Conversation } from '../agents/runtime/conversation.js';
import { RunScope } from '../agents/runtime/run-scope.js';
import { SharedScope } from '../agents/runtime/shared-scope.js';
import { treeBudget } from '../agents/runtime/tree-budget.js';
import { Journal } from '../agents/journal/journal.js';
import { ServerStopped } from '../kernel/server-stopped.js';
import type { LogRecord } from '../log/log-record.js';
import { RunLog } from '../log/run-log.js';
import { RunLost } from '../log/run-lost.js';
import type { InteractionRow } from '../log/store-rows.js';
import type { Slot } from '../queue/run-queue.js';
import type { RecordOf } from '../protocol/events.js';
import type { Message } from '../protocol/message.js';
import { closeRequests } from './close-requests.js';
import { DELETED } from '../agents/interventions/deleted.js';
import { CrashLoop, MAX_LOSSES } from './crash-loop.js';
import { describeOutages } from './describe-outages.js';
import { completed, failed } from './ending.js';
import type { Ending } from './ending.js';
import { listAllRequests } from '../approvals/list-all-requests.js';
import { Parking } from './parking.js';
import { rootAgent } from './root-agent.js';
import { RunFinish } from './run-finish.js';
import { RunLeftovers } from './run-leftovers.js';
import { isLoss, reportFailure, reportStop } from './run-reports.js';
import type { RunDeps } from './run-deps.js';
import { RunState } from './run-state.js';
import { SignalWatch } from './signal-watch.js';
import { limitTurn } from './suspect-turn.js';
import { SUSPECT_LOSSES } from './suspects.js';
import type { WaitingRuns } from './waiting-runs.js';

/** What a run begins with: the log so far, and the conversation before the interaction. */
export interface RunStart {
  readonly interaction: InteractionRow;
  readonly records: readonly LogRecord[];
  readonly before: readonly Message[];
  /** Set when an earlier run of it was lost: why. */
  readonly resumed?: string;
  /** How many runs before it were lost in a row without a record. */
  readonly losses: number;
}

/** What a run needs of the process that executes it. */
export interface RunHost {
  readonly holdsLease: () => boolean;
  readonly slot: Slot;
  readonly waiting: WaitingRuns;
  /** The run has written something besides `RESUMED`, or does nothing but wait in memory. */
  readonly onWell: () => void;
}

/** Why a run stops before its agent is done. */
type Stop =
  | { readonly kind: 'cancel'; readonly reason: string }
  /** What it started has `grace_ms` to stop, and to say what came of it. */
  | { readonly kind: 'shutdown'; readonly reason: ServerStopped; readonly grace_ms: number }
  | { readonly kind: 'lost' | 'parked' };

/** One attempt of this process to execute an interaction. */
export class Run {
  private readonly abort = new AbortController();
  private readonly state: RunState;
  private readonly parking: Parking;
  private readonly watch: SignalWatch;
  private readonly journal: Journal;
  private readonly conversation: Conversation;
  private readonly log: RunLog;
  private readonly scope: RunScope;
  private readonly finish: RunFinish;
  private stop: Stop | undefined;
  private ended = false;
  private endTurn: () => void = () => {};
  private wakeStopped: () => void = () => {};
  private readonly stopped = new Promise<void>((resolve) => {
    this.wakeStopped = resolve;
  });

  constructor(
    private readonly deps: RunDeps,
    private readonly start: RunStart,
    private readonly host: RunHost,
  ) {
    const { interaction, records, before } = start;
    this.state = new RunState(interaction);
    const { slot, waiting } = host;
    // What is parked can't be lost to what a suspect's neighbours do.
    const after_ms = start.losses < SUSPECT_LOSSES ? deps.config.parkAfterMs : 0;
    this.parking = new Parking({ after_ms, slot, waiting, park: () => this.park() });
    this.watch = new SignalWatch({
      store: deps.store,
      ...{ interaction, slot },
      isStopped: () => this.stop !== undefined,
      cancel: (reason) => this.cancel(reason),
      takeIn: () => this.takeIn(),
    });
    this.conversation = new Conversation(before);
    this.journal = new Journal({
      deliver: (record) => this.deliver(record),
      fail: (error) => this.scope.fail(error),
    });
    for (const record of records) this.state.apply(record);
    if (start.resumed === undefined) this.state.takeOver(interaction.epoch);
    this.log = new RunLog(deps, {
      interaction_id: interaction.id,
      epoch: interaction.epoch,
      last_seq: this.state.lastSeq,
      holdsLease: () => host.holdsLease(),
      onCommitted: (committed) => this.onCommitted(committed),
    });
    this.scope = this.newScope();
    const { scope, state, journal, conversation } = this;
    const deliver = (record: LogRecord): void => this.deliver(record);
    this.finish = new RunFinish({ scope, state, journal, conversation, deliver });
  }

  get interactionId(): string {
    return this.start.interaction.id;
  }

  /** Whether this run has a lease to let go of: not when the interaction is over, or parked. */
  get holdsLease(): boolean {
    return !this.ended && this.stop?.kind !== 'parked';
  }

  get epoch(): number {
    return this.start.interaction.epoch;
  }

  /** Stops the agent and all that it does; the interaction ends CANCELLED. */
  cancel(reason: string): void {
    this.halt({ kind: 'cancel', reason });
  }

  /** Somebody has changed the row, or something that belongs to it. `signals` is what is known of it, if anything. */
  look(signals?: number): Promise<void> {
    return this.watch.look(signals);
  }

  /** Another run owns the interaction, or may: stop without a word. */
  lose(): void {
    this.halt({ kind: 'lost' });
  }

  /** The store was away for so long that another run may own the interaction. */
  cutOff(): void {
    this.deps.spill.noteOutage(this.interactionId);
    this.lose();
  }

  /** Stops so that another process, or the next start, goes on; what only waits for people rests until they decide. */
  async shutDown(grace_ms: number): Promise<void> {
    await nextTick(); // the agent hears of what was written just now
    if (this.parking.isParkable) await this.park();
    this.halt({ kind: 'shutdown', reason: new ServerStopped(), grace_ms });
  }

  /** Resolves when the interaction has ended, or this run has stopped. Never rejects. */
  async execute(): Promise<void> {
    try {
      await this.begin();
      const ending = await this.runToEnding();
      if (!ending) return;
      await this.finish.write(ending);
      this.ended = true;
    } catch (error) {
      const run = `${this.interactionId}: run ${this.epoch}`;
      reportStop(this.deps.logger, run, error);
    } finally {
      this.halt({ kind: 'lost' });
      this.endTurn();
      this.parking.stop();
      this.journal.stop();
      this.log.close();
    }
  }

  private async begin(): Promise<void> {
    const { records, resumed, interaction } = this.start;
    this.journal.push(records);
    if (interaction.cancel_reason !== null) this.cancel(interaction.cancel_reason);
    if (interaction.signals > 0) await this.takeInterventions();
    if (this.state.hasAsked) await this.takeRequests();
    if (records.length <= 1 && resumed === undefined) await this.tellOutages();
    if (this.start.losses >= SUSPECT_LOSSES)
      this.endTurn = limitTurn(records, (notice) => this.tell(notice));
    if (resumed === undefined || records.length === 0) return;
    await this.clearLeft();
    const attempt = this.state.resumed + 1;
    const agent_id = this.state.rootAgentId;
    await this.log.append([
      { agent_id, key: null, body: { type: 'RESUMED', attempt, reason: resumed } },
    ]);
  }

  /** Tools that are missing are missed: whoever reads along has to know why. */
  private async tellOutages(): Promise<void> {
    const outages = describeOutages(this.deps.tools.servers());
    const agent_id = this.state.rootAgentId;
    if (outages.length === 0 || this.stop) return;
    await this.log.append(outages.map((body) => ({ agent_id, key: null, body })));
  }

  /** What the lost run has left running is stopped before anything else begins. */
  private async clearLeft(): Promise<void> {
    for (const call of this.state.startedCalls())
      if (await this.deps.left.kill(call.trace)) call.isCleared = true;
  }

  /** Whatever was decided, the run goes on with it, or rests again if it still only waits. */
  private async takeIn(): Promise<void> {
    try {
      await this.takeRequests();
      await this.takeInterventions();
    } finally {
      this.parking.restAgain();
    }
  }

  private async takeRequests(): Promise<void> {
    const { interactionId: interaction_id } = this;
    for await (const row of listAllRequests(this.deps.store, { interaction_id }))
      this.scope.takeRequests([row]);
  }

  /** What is for the root to be stopped is for the whole interaction. */
  private async takeInterventions(): Promise<void> {
    const { store } = this.deps;
    const { shared } = this.scope;
    const rows = await store.listInterventions(this.interactionId);
    shared.interventions.offer(rows, this.state.takenIn);
    if (this.stop) return;
    if (!shared.interventions.unwanted.includes(this.state.rootAgentId))
      return shared.removeUnwanted();
    const row = await store.requestCancel(this.interactionId, DELETED);
    this.cancel(row?.cancel_reason ?? DELETED);
  }

  /** Lets go of everything but the row, unless something has happened that this run doesn't know of. */
  private async park(): Promise<boolean> {
    if (this.stop || this.journal.undelivered().length > 0) return false; // the agent is about to stop, or to go on
    return this.watch.park(() => this.halt({ kind: 'parked' }));
  }

  private async runToEnding(): Promise<Ending | undefined> {
    try {
      const text = await Promise.race([this.runAgent(), this.scope.failure, this.stopped]);
      if (!this.stop) return await this.afterStopping(() => completed(this.finish.context, text));
    } catch (error) {
      if (isLoss(error)) throw error;
      if (!this.stop) {
        reportFailure(this.deps.logger, this.interactionId, error);
        return this.afterStopping(() => failed(this.finish.context, error));
      }
    }
    await this.settleStopped();
    if (this.stop?.kind === 'lost') throw new RunLost();
    if (this.stop?.kind === 'cancel') await this.takeInterventions();
    if (this.stop?.kind === 'cancel' && this.state.hasAsked) await this.takeRequests(); // decided before that (I5)
    return this.stop?.kind === 'cancel' ? this.finish.cancelled(this.stop.reason) : undefined;
  }

  private async settleStopped(): Promise<void> {
    if (this.stop?.kind !== 'shutdown') return this.finish.settle();
    await this.finish.settle(this.stop.grace_ms);
    this.stop.reason.graceIsOver = true;
    await this.finish.closeStopped();
  }

  private async runAgent(): Promise<string | void> {
    if (this.stop) return undefined;
    if (this.start.losses >= MAX_LOSSES) throw new CrashLoop(this.start.losses);
    return runAgent(this.scope, rootAgent(this.start.interaction, this.conversation));
  }

  /** The agent is done: what it left running is stopped before the end is written. */
  private async afterStopping(ending: () => Ending): Promise<Ending> {
    this.abort.abort();
    await this.finish.settle();
    const { scope } = this;
    const { store, clock } = this.deps;
    if (this.state.isAsking) await closeRequests({ store, clock, scope }); // nobody settles them any more
    return ending();
  }

  private halt(stop: Stop): void {
    if (stop.kind === 'lost') this.log.close(); // also when it is stopping already
    if (this.stop) return;
    this.stop = stop;
    this.abort.abort(stop.kind === 'shutdown' ? stop.reason : undefined);
    this.wakeStopped();
  }

  private onCommitted(records: readonly LogRecord[]): void {
    for (const record of records) this.state.apply(record);
    this.journal.push(records);
    if (records.some(({ body }) => body.type !== 'RESUMED')) this.seenWell();
  }

  private seenWell(): void {
    this.endTurn();
    this.host.onWell();
  }

  private tell(body: RecordOf<'NOTICE'>): void {
    const { rootAgentId: agent_id } = this.state;
    if (!this.stop) this.log.append([{ agent_id, key: null, body }]).catch(() => {}); // whatever it writes next fails too
  }

  private deliver(record: LogRecord): void {
    this.scope.shared.observe(record);
    if (record.agent_id === this.state.rootAgentId) this.conversation.apply(record);
    else this.scope.shared.conversations.apply(record);
  }

  private onActivity(activity: Activity): void {
    this.parking.set(activity);
    if (activity === 'waiting') this.seenWell(); // one that can be parked is well when it is
  }

  private newScope(): RunScope {
    const { deps, start, log, journal } = this;
    const call_ids = new CallIds(deps.ids);
    call_ids.addFrom(start.before);
    for (const { body } of start.records) if (body.type === 'TOOL_CALL') call_ids.add(body.id);
    const shared = new SharedScope({
      interaction: start.interaction,
      services: deps,
      log,
      journal,
      call_ids,
      leftovers: this.newLeftovers(),
      request_timeout_ms: deps.config.approvalTimeoutMs,
      limits: deps.config,
      budget: treeBudget(start.interaction.settings.budget, deps.config),
      prices: deps.config.modelPrices ?? {},
      onActivity: (activity) => this.onActivity(activity),
    });
    return new RunScope(shared, this.abort.signal);
  }

  private newLeftovers(): RunLeftovers {
    const { store, clock } = this.deps;
    const scope = () => this.scope;
    return new RunLeftovers({ store, clock, scope, context: () => this.finish.context });
  }
}
