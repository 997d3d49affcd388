import { setImmediate as nextTick } from 'node:timers/promises';
import type { Activity } from './scope/activity.js';
import { runAgent } from './agent-context/agent-run.js';
import { checkMessage } from './effects/message-check.effect.js';
import { Conversation } from '../conversation/conversation.js';
import type { AgentScope } from './scope/agent-scope.js';
import { Journal } from './journal/journal.js';
import { ServerStopped } from '../kernel/server-stopped.js';
import type { LogRecord } from '../persistence/rows/log-record.js';
import { RunLog } from '../event-log/append/run-log.js';
import { LeaseLostError } from '../event-log/append/lease-lost.error.js';
import type { RecordOf } from '../protocol/events.js';
import { closeRequests } from './closing/close-requests.js';
import { CrashLoop, MAX_LOSSES } from './runner/crash-loop.js';
import { describeOutages } from './describe-outages.js';
import { completed, failed } from './closing/ending.js';
import type { Ending } from './closing/ending.js';
import { Parking } from './parking.js';
import { rootAgent } from './root-agent.js';
import { newRunScope } from './scope/new-run-scope.js';
import { RunFinish } from './closing/run-ending.js';
import { RunIntake } from './run-intake.js';
import { RunLeftovers } from './closing/run-leftovers.js';
import { isLoss, reportFailure, reportStop } from './run-reports.js';
import type { RunServices } from './run-services.js';
import type { RunEnvironment, RunInput } from './run-input.js';
import { OpenWork } from './open-work.js';
import { SignalWatch } from './run-signals.js';
import { limitTurn } from './runner/suspect-turn.js';
import { SUSPECT_LOSSES } from './runner/crash-quarantine.js';

/** Why a run stops before its agent is done. */
type Stop =
  | { readonly kind: 'cancel'; readonly reason: string }
  /** What it started has `grace_ms` to stop, and to say what came of it. */
  | { readonly kind: 'shutdown'; readonly reason: ServerStopped; readonly grace_ms: number }
  | { readonly kind: 'lost' | 'parked' };

/** One attempt of this process to execute an interaction. */
export class Run {
  private readonly abort = new AbortController();
  private readonly state: OpenWork;
  private readonly parking: Parking;
  private readonly watch: SignalWatch;
  private readonly journal: Journal;
  private readonly conversation: Conversation;
  private readonly log: RunLog;
  private readonly scope: AgentScope;
  private readonly finish: RunFinish;
  private readonly intake: RunIntake;
  private stop: Stop | undefined;
  private ended = false;
  private endTurn: () => void = () => {};
  private wakeStopped: () => void = () => {};
  private readonly stopped = new Promise<void>((resolve) => {
    this.wakeStopped = resolve;
  });

  constructor(
    private readonly deps: RunServices,
    private readonly start: RunInput,
    private readonly host: RunEnvironment,
  ) {
    const { interaction, records, before } = start;
    this.state = new OpenWork(interaction);
    const { slot, waiting } = host;
    // What is parked can't be lost to what a suspect's neighbours do.
    const after_ms = start.losses < SUSPECT_LOSSES ? deps.config.parkAfterMs : 0;
    this.parking = new Parking({ after_ms, slot, waiting, park: () => this.park() });
    this.watch = new SignalWatch({
      interactions: deps.interactions,
      leases: deps.leases,
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
    const { state, journal, conversation, log } = this;
    const { signal } = this.abort;
    const leftovers = this.newLeftovers();
    const onActivity = (activity: Activity): void => this.onActivity(activity);
    this.scope = newRunScope(deps, start, { log, journal, leftovers, signal, onActivity });
    const { scope } = this;
    this.finish = new RunFinish({ scope, state, journal, conversation });
    this.intake = new RunIntake({
      ...{ stores: deps, scope, state },
      isStopped: () => this.stop !== undefined,
      cancel: (reason) => this.cancel(reason),
    });
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
      const added = await this.finish.write(ending);
      this.ended = true;
      const { interaction, before } = this.start;
      this.deps.memory.note(interaction, { before, added });
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
    if (interaction.signals > 0) await this.intake.takeInterventions();
    if (this.state.hasAsked) await this.intake.takeRequests();
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
    const outages = describeOutages(this.deps.tools.servers(), this.deps.bus);
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
      await this.intake.takeRequests();
      await this.intake.takeInterventions();
    } finally {
      this.parking.restAgain();
    }
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
    if (this.stop?.kind === 'lost') throw new LeaseLostError();
    if (this.stop?.kind === 'cancel') await this.intake.takeInterventions();
    if (this.stop?.kind === 'cancel' && this.state.hasAsked) await this.intake.takeRequests(); // decided before that (I5)
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
    const agent = rootAgent(this.start.interaction, this.conversation);
    await checkMessage(this.scope, agent.identity, agent.path);
    return runAgent(this.scope, agent);
  }

  /** The agent is done: what it left running is stopped before the end is written. */
  private async afterStopping(ending: () => Ending): Promise<Ending> {
    this.abort.abort();
    await this.finish.settle();
    const { scope } = this;
    const { requests, clock } = this.deps;
    if (this.state.isAsking) await closeRequests({ requests, clock, scope }); // nobody settles them any more
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

  private newLeftovers(): RunLeftovers {
    const { requests, clock } = this.deps;
    const scope = () => this.scope;
    return new RunLeftovers({ requests, clock, scope, context: () => this.finish.context });
  }
}
