import { ANY_TENANT } from '../persistence/any-tenant.js';
import { setImmediate as nextTick } from 'node:timers/promises';
import { rootAgent } from './scope/agent-run-options.js';
import { runAgent } from './agent-context/agent-run.js';
import { closeRequests } from './closing/close-requests.js';
import type { Ending } from './closing/ending.js';
import { RunEnding } from './closing/run-ending.js';
import { checkMessage, tellRedacted } from './effects/message-check.effect.js';
import { readFiles } from './effects/message-files.effect.js';
import { LeaseLostError } from '../event-log/append/lease-lost.error.js';
import { RunLog } from '../event-log/append/run-log.js';
import type { Entry } from '../event-log/append/run-log.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import { StoreRefused } from '../persistence/store-refused.error.js';
import type { RunSlot } from '../queue/run-queue.js';
import { OpenWork } from './scope/open-work.js';
import { Parking } from './parking.js';
import type { WaitingRuns } from './parking.js';
import { RunHealth, SLOW_AFTER_LOSS } from './scope/health/run-health.js';
import type { Quarantine } from './scope/health/run-health.js';
import { isRetried } from './scope/run-input.js';
import type { RunInput } from './scope/run-input.js';
import type { RunLease } from './scope/run-lease.js';
import { outageNotices } from './outage-notices.js';
import { isLoss } from './scope/health/run-reports.js';
import type { RunServices } from './scope/run-services.js';
import { RunSignals } from './run-signals.js';
import { RunStop } from './scope/run-stop.js';
import { CrashLoop, SUSPECT_LOSSES } from './closing/crash-loop.js';
import { giveUp } from './closing/give-up.js';
import { requireProgress } from './closing/save-loop.js';
import { AgentScope } from './scope/agent-scope.js';
import { untilMet } from './requirements/until-met.js';
import { RunActivity } from './scope/health/run-activity.js';
import { RunScope } from './scope/run-scope.js';

/** Time that a run waits in memory for what the server lacks: it may be away for a moment only. */
const REQUIREMENT_MS = 1_000;

const GIVEN_UP =
  'The database was unavailable, so the lease could not be renewed and was given up. The interaction resumes once the database is back';

/** Longest time for an answer to be played: this, and more for each of its characters. */
const MIN_SPEECH_MS = 30_000;
const MS_OF_CHARACTER = 150;

/** The process that executes the run, as the run sees it. */
interface RunEnvironment {
  readonly lease: Pick<RunLease, 'isFresh'>;
  readonly slot: RunSlot;
  readonly waiting: WaitingRuns;
  readonly quarantine: Quarantine;
}

/** Attempt of this process to execute an interaction. */
export class Run {
  readonly signals: RunSignals;
  private readonly stop = new RunStop();
  private readonly health: RunHealth;
  private readonly scope: RunScope;
  private readonly root: AgentScope;
  private readonly parking: Parking;
  private readonly ending: RunEnding;
  private hasEnded = false;
  /** It was stopped by an outage of the store. */
  private isCutOff = false;

  constructor(
    private readonly services: RunServices,
    private readonly input: RunInput,
    { lease, slot, waiting, quarantine }: RunEnvironment,
  ) {
    const { interaction, records, resumed, losses } = input;
    const { id: interaction_id, epoch, chat_uid, tenant_id } = interaction;
    const openWork = new OpenWork(interaction);
    for (const record of records) openWork.apply(record);
    const last_seq = openWork.lastSeq;
    const chat = { chat_uid, tenant_id };
    const [first, ...others] = records;
    const began = first && others.length === 0 && { began: Date.parse(first.at) };
    const log = new RunLog(services, { interaction_id, chat, epoch, last_seq, lease, ...began });
    this.health = new RunHealth(quarantine, services.leases, { interaction_id, epoch });
    const activity = new RunActivity();
    const parts = { log, openWork, activity, health: this.health };
    this.scope = new RunScope(services, input, parts);
    // calls that were lost before are still unknown, if no agent has begun since
    if (resumed === undefined && !this.scope.requirements.lacksAgents) openWork.takeOver(epoch);
    this.root = new AgentScope(this.scope, this.stop.signal);
    this.ending = new RunEnding(this.scope);
    this.signals = new RunSignals({ run: this.scope, stop: this.stop, slot });
    // A parked run can't be lost to a poison message that runs beside it.
    const park_ms = losses < SUSPECT_LOSSES ? services.config.parkAfterMs : 0;
    const { requirements } = this.scope;
    const after_ms = (): number =>
      requirements.awaited === undefined ? park_ms : Math.min(park_ms, REQUIREMENT_MS);
    const { signals, health } = this;
    this.parking = new Parking({ after_ms, slot, waiting, signals, health });
    activity.subscribe(this.parking);
  }

  /** The row at the start of this run. */
  get interaction(): InteractionRow {
    return this.input.interaction;
  }

  get interactionId(): string {
    return this.input.interaction.id;
  }

  get epoch(): number {
    return this.input.interaction.epoch;
  }

  /** The last seq that the store has confirmed. */
  get savedSeq(): number {
    return this.scope.log.savedSeq;
  }

  /** False once the interaction has ended or is parked: then there is no lease to release. */
  get holdsLease(): boolean {
    return !this.hasEnded && this.stop.cause?.kind !== 'parked';
  }

  /** Stops the agent and all its work; the interaction ends CANCELLED. */
  cancel(reason: string, userId: string | null = null): void {
    this.stop.cancel(reason, userId);
  }

  /** Another run owns the interaction, or may own it: stops without writing anything. */
  lose(): void {
    this.scope.log.close(); // also if it is already stopping
    this.stop.request({ kind: 'lost' });
  }

  /** The store was unavailable for so long that another run may own the interaction. */
  cutOff(): void {
    this.isCutOff = true;
    this.services.spill.noteOutage(this.interactionId, this.epoch, 'unrenewed');
    this.lose();
  }

  /**
   * Stops so that another process, or the next start, resumes the interaction; a run that only
   * waits for people is parked.
   */
  async shutDown(grace_ms: number): Promise<void> {
    await nextTick(); // delivers the records that were just committed
    if (this.parking.isParkable) await this.signals.park();
    this.stop.shutDown(grace_ms);
  }

  /** Resolves when the interaction has ended, or this run has stopped. Never rejects. */
  async execute(): Promise<void> {
    try {
      await this.begin();
      const ending = await this.runToEnding();
      if (!ending) return;
      const added = await this.ending.write(ending);
      this.hasEnded = true;
      const { interaction, before, unread } = this.input;
      if (!unread) this.services.conversations.note(interaction, { before, added });
    } catch (error) {
      if (error instanceof StoreRefused) await this.endRefused(error);
      else this.report(error);
    } finally {
      this.lose();
      this.health.stop();
      this.parking.stop();
      this.scope.journal.stop();
    }
  }

  /** Ends the interaction with an append that has nothing of the refused one. */
  private async endRefused(refusal: StoreRefused): Promise<void> {
    const { services, scope } = this;
    try {
      this.stop.abortRest();
      await this.root.drain();
      const row = await services.interactions.findInteraction(this.interactionId, ANY_TENANT);
      if (row?.epoch !== this.epoch) return;
      await giveUp(services, row, { error: refusal, last_frame: scope.log.lastFrame });
      this.hasEnded = true;
    } catch (error) {
      this.report(error);
    }
  }

  private report(error: unknown): void {
    const cause = this.isCutOff && isLoss(error) ? new LeaseLostError(GIVEN_UP) : error;
    this.services.reports.stopped(this.interaction, cause);
  }

  /** Replays the log to its end, and takes in later signals. */
  private async begin(): Promise<void> {
    const { records, resumed, interaction, losses } = this.input;
    const { journal, openWork } = this.scope;
    journal.push(records);
    const { cancel_reason, cancelled_by } = interaction;
    if (cancel_reason !== null) this.cancel(cancel_reason, cancelled_by);
    if (interaction.signals > 0) await this.signals.takeInterventions();
    if (openWork.hasAsked) await this.signals.takeRequests();
    if (records.length <= 1 && resumed === undefined) {
      this.services.reports.started(interaction);
      await this.writeOutages();
    }
    if (losses >= SUSPECT_LOSSES) void this.leaveQuarantineIfSlow();
    const last = records.at(-1);
    if (resumed === undefined || !last) return;
    await this.killOrphans();
    if (isRetried(last, interaction)) return;
    const attempt = openWork.resumed + 1;
    await this.scope.append([this.entry({ type: 'RESUMED', attempt, reason: resumed })]);
  }

  private async writeOutages(): Promise<void> {
    const notices = outageNotices(this.services.tools.servers(), this.services.bus);
    if (notices.length === 0 || this.stop.isRequested) return;
    await this.scope.append(notices.map((body) => this.entry(body)));
  }

  private async leaveQuarantineIfSlow(): Promise<void> {
    const isSlow = await this.health.isSlow(this.input.records);
    if (!isSlow || this.stop.isRequested) return;
    try {
      await this.scope.append([this.entry(SLOW_AFTER_LOSS)]);
      await this.health.leaveTrial();
    } catch {
      // the run's next append fails, too
    }
  }

  /** Kills processes that the lost run left running, before anything else starts. */
  private async killOrphans(): Promise<void> {
    for (const call of this.scope.openWork.startedCalls())
      if (await this.services.orphans.kill(call.trace)) call.isCleared = true;
  }

  /** Undefined: the interaction continues in another run. */
  private async runToEnding(): Promise<Ending | undefined> {
    try {
      const text = await Promise.race([this.runRoot(), this.scope.failure, this.stop.requested]);
      if (!this.stop.isRequested) return await this.afterAgent(() => this.ending.completed(text));
    } catch (error) {
      if (isLoss(error) || error instanceof StoreRefused) throw error;
      if (!this.stop.isRequested) return this.afterAgent(() => this.ending.failed(error));
    }
    return this.afterStop();
  }

  private async runRoot(): Promise<string | void> {
    if (this.stop.isRequested) return undefined;
    const { alone_losses } = this.input;
    if (alone_losses >= this.services.config.crashLoopLimit) throw new CrashLoop(alone_losses);
    requireProgress(this.input.records);
    await this.untilAgentsAreThere();
    const agent = rootAgent(this.input.interaction, this.scope.conversation);
    await tellRedacted(this.root, agent.identity.id, this.input.records);
    await readFiles(this.root, agent.identity, agent.path);
    await checkMessage(this.root, agent.identity, agent.path);
    const text = await runAgent(this.root, agent);
    await this.untilPlayed(text);
    return text;
  }

  /** Before any agent begins: a replay would stop at the first step of one that is missing. */
  private async untilAgentsAreThere(): Promise<void> {
    const { openWork, activity, requirements, interventions } = this.scope;
    const deleted = interventions.deletedAgents.flatMap((id) => openWork.openSubtree(id));
    const open = openWork.openAgents().filter((agent) => !deleted.includes(agent));
    const types = open.map(({ agent_type }) => agent_type);
    const end = activity.begin();
    try {
      for (const type of new Set([this.interaction.agent, ...types]))
        await untilMet(this.root, `agent:${type}`, openWork.rootAgentId);
      requirements.isBeforeAgents = false;
    } finally {
      end();
    }
  }

  /**
   * A spoken answer can be interrupted while it is played: the log is open until then. A run that
   * was taken over does not wait, as the process that speaks may be the one that was lost.
   */
  private async untilPlayed(text: string | void): Promise<void> {
    const { interaction, resumed } = this.input;
    const { openWork, interventions } = this.scope;
    const isSpoken = interaction.settings.spoken && resumed === undefined;
    const { lastAnswer } = openWork;
    if (!isSpoken || lastAnswer === undefined || (text && text !== lastAnswer)) return;
    let callOff: (() => void) | undefined;
    const longest_ms = MIN_SPEECH_MS + lastAnswer.length * MS_OF_CHARACTER;
    const isOver = new Promise<void>((resolve) => {
      callOff = this.services.clock.after(longest_ms, resolve);
    });
    await Promise.race([interventions.played, isOver, this.stop.requested]);
    callOff?.();
  }

  /** The agent has returned: stops the work that it left running, before the end is written. */
  private async afterAgent(end: () => Ending): Promise<Ending> {
    this.stop.abortRest();
    await this.root.drain();
    if (this.scope.openWork.isAsking) await closeRequests(this.scope);
    return end();
  }

  private async afterStop(): Promise<Ending | undefined> {
    const { cause } = this.stop;
    if (cause?.kind === 'shutdown') {
      await this.root.drain(cause.grace_ms);
      cause.reason.graceIsOver = true;
      await this.ending.closeStopped();
    } else await this.root.drain();
    if (cause?.kind === 'lost') throw new LeaseLostError();
    if (cause?.kind !== 'cancel') return undefined;
    await this.signals.takeInterventions();
    // settled before the cancel (I5)
    if (this.scope.openWork.hasAsked) await this.signals.takeRequests();
    return this.ending.cancelled(cause);
  }

  private entry(body: Entry['body']): Entry {
    return { agent_id: this.scope.openWork.rootAgentId, key: null, body };
  }
}
