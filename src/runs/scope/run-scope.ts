import type { AppendEffects, Entry, RunLog } from '../../event-log/append/run-log.js';
import { isRecordOf } from '../../persistence/rows/log-record.js';
import type { LogRecord, RecordContent } from '../../persistence/rows/log-record.js';
import type { NewRequest } from '../../persistence/rows/request-rows.js';
import { StoreRefused } from '../../persistence/store-refused.error.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { addUsage } from '../../protocol/interaction.js';
import type { InteractionStatus, Usage } from '../../protocol/interaction.js';
import { isProgress } from '../../protocol/events.js';
import { CallIds } from '../../conversation/call-ids.js';
import { ChildConversations } from '../../conversation/child-conversations.js';
import { Conversation } from '../../conversation/conversation.js';
import { AgentNotes } from './agent-notes.js';
import { Interventions } from './interventions.js';
import { ContextMarks } from '../context-window/context-marks.js';
import type { UnreadBeginning } from '../context-window/earlier-conversation.js';
import { EarlierMarks } from '../context-window/earlier-marks.js';
import { EarlierOutputs } from '../context-window/earlier-outputs.js';
import { TokenScale } from '../context-window/estimate-tokens.js';
import { Journal } from '../journal/journal.js';
import type { JournalListener } from '../journal/journal.js';
import { Budgets, treeBudget } from '../limits/budgets.js';
import { CallLimits } from '../limits/call-limits.js';
import { FairSemaphore } from '../limits/fair-semaphore.js';
import { UsageByModel } from '../limits/usage-by-model.js';
import type { OpenWork } from './open-work.js';
import type { RunHealth } from './health/run-health.js';
import type { RunInput } from './run-input.js';
import type { RunServices } from './run-services.js';
import { Requirements } from '../requirements/requirements.js';
import { RepeatedCalls } from '../limits/repeated-calls.js';
import { ResultQuota } from '../limits/result-quota.js';
import { Metadata } from './metadata.js';
import { PendingRequests } from './pending-requests.js';
import type { RunActivity } from './health/run-activity.js';
import type { RunningChild, RunningTurn } from './running.js';
import { Speakers } from './speakers.js';

interface RunParts {
  readonly log: RunLog;
  readonly openWork: OpenWork;
  readonly activity: RunActivity;
  readonly health: RunHealth;
}

type UsageEffects = Pick<AppendEffects, 'usage' | 'usage_by_model'>;

/** Bound of what is remembered of notices. */
const MAX_NOTICES = 200;

/**
 * State that all agents of one run share.
 *
 * Its folds over the log are updated at two moments. On commit (`append`): `openWork`, `budgets`,
 * `notes`, `speakers` and `requirements`, which include what the agents have not reached on a
 * replay. On delivery (`deliver`): everything else that decides the next steps of the agents, in
 * journal order, so that a replay decides the same.
 */
export class RunScope implements JournalListener {
  readonly interaction: InteractionRow;
  readonly log: RunLog;
  readonly openWork: OpenWork;
  readonly activity: RunActivity;
  readonly journal: Journal = new Journal(this);
  readonly callIds: CallIds;
  readonly requests: PendingRequests;
  readonly requirements = new Requirements();
  readonly interventions = new Interventions();
  readonly notes = new AgentNotes();
  readonly speakers = new Speakers();
  /** The root agent's; `conversations` has those of its children. */
  readonly conversation: Conversation;
  readonly conversations = new ChildConversations();
  /** Model turns that are being streamed. */
  readonly turns = new Set<RunningTurn>();
  readonly turnSemaphore: FairSemaphore;
  /** Names of the tools, by the ids of calls, that did not stop on request (I7). */
  readonly unstoppable = new Map<string, string>();
  /** Paths of the child agents that run, or are about to. */
  readonly agents = new Set<string>();
  /** Keys of the forks of all child agents that were ever started, or are about to be. */
  readonly forks: Set<string>;
  /** Child agents that this run has started, by id. */
  readonly children = new Map<string, RunningChild>();
  /** True once a provider has refused images in this run: no more are sent. */
  imagesDisabled = false;
  /** Notices of models that were told in this run, so that not every turn repeats them. */
  private readonly notices = new Set<string>();
  readonly callLimits: CallLimits;
  readonly budgets: Budgets;
  readonly repeatedCalls = new RepeatedCalls();
  readonly resultQuota: ResultQuota;
  readonly metadata: Metadata;
  /** Events of hooks in the log when the run began, by agent. */
  readonly hookEvents = new Map<string, number>();
  readonly contextMarks = new ContextMarks();
  readonly tokenScale = new TokenScale();
  /** Marks of the chat's interactions before this one. */
  readonly earlierMarks: EarlierMarks;
  readonly outputs: EarlierOutputs;
  /** The beginning of the chat's conversation, if it is not loaded. */
  readonly unread: UnreadBeginning | undefined;
  /** Rejects when the run can't go on, regardless of the agents. */
  readonly failure: Promise<never>;
  private readonly health: RunHealth;
  private status: InteractionStatus;
  private usage: Usage;
  private isUsageSaved = true;
  private readonly usageByModel: UsageByModel;
  private serialized: Promise<unknown> = Promise.resolve();
  private rejectFailure: (error: unknown) => void = () => {};

  constructor(
    readonly services: RunServices,
    { interaction, records, before, unread }: RunInput,
    { log, openWork, activity, health }: RunParts,
  ) {
    const { config, rates, executor, ids } = services;
    this.interaction = interaction;
    this.log = log;
    this.openWork = openWork;
    this.activity = activity;
    this.health = health;
    this.status = interaction.status;
    this.usage = interaction.usage;
    this.usageByModel = new UsageByModel(interaction.model);
    this.unread = unread;
    this.callIds = CallIds.of(ids, { before, records, isWhole: !unread });
    this.requests = new PendingRequests(activity);
    this.forks = new Set(records.flatMap(forkOf));
    this.conversation = new Conversation(before);
    this.turnSemaphore = new FairSemaphore(config.maxParallelTurns);
    this.callLimits = new CallLimits({ interaction, settings: config, rates });
    const budget = treeBudget(interaction.settings.budget, config);
    const { prices } = config;
    this.budgets = new Budgets({ root_id: interaction.agent_id, budget, prices });
    for (const record of records) {
      this.budgets.apply(record);
      this.usageByModel.apply(record);
      this.notes.apply(record);
      this.speakers.apply(record);
      this.requirements.apply(record);
      if (isRecordOf(record, 'CUSTOM') && record.hidden)
        this.hookEvents.set(record.agent_id, (this.hookEvents.get(record.agent_id) ?? 0) + 1);
    }
    this.metadata = new Metadata(interaction.metadata);
    this.resultQuota = new ResultQuota(executor);
    this.earlierMarks = new EarlierMarks(services, interaction);
    this.outputs = new EarlierOutputs(services, { interaction, before, isWhole: !unread });
    this.failure = new Promise((_, reject) => {
      this.rejectFailure = reject;
    });
    this.failure.catch(() => {});
  }

  /** Wall-clock milliseconds. */
  get now(): number {
    return this.services.clock.now().getTime();
  }

  /** Fails the run with this error, unless it has failed already. */
  fail(error: unknown): void {
    this.rejectFailure(error);
  }

  /** Appends and folds, with the interaction's status if that has changed. */
  async append(
    entries: readonly Entry[],
    effects: AppendEffects = {},
  ): Promise<readonly LogRecord[]> {
    const { status } = this.requests;
    const isStatusNew = effects.status === undefined && status !== this.status;
    if (isStatusNew) this.status = status;
    const usage = this.isUsageSaved ? {} : this.usageEffects;
    this.isUsageSaved = true;
    const all = { ...effects, ...usage, ...(isStatusNew && { status }) };
    const records = await this.save(entries, all);
    for (const record of records) {
      this.openWork.apply(record);
      this.budgets.apply(record);
      this.notes.apply(record);
      this.speakers.apply(record);
      this.requirements.apply(record);
    }
    this.journal.push(records);
    if (records.some(({ body }) => isProgress(body))) this.health.markHealthy();
    return records;
  }

  /** The run fails if the store refuses: callers may take that error for one of the model. */
  private async save(entries: readonly Entry[], effects: AppendEffects) {
    try {
      return await this.log.append(entries, effects);
    } catch (error) {
      if (error instanceof StoreRefused) this.fail(error);
      throw error;
    }
  }

  /** The next record in journal order; just after it, the step that waits for it resolves. */
  deliver(record: LogRecord): void {
    this.callLimits.apply(record);
    this.repeatedCalls.apply(record);
    this.resultQuota.apply(record);
    this.contextMarks.apply(record);
    this.tokenScale.apply(record);
    this.metadata.apply(record);
    if (record.agent_id === this.openWork.rootAgentId) this.conversation.apply(record);
    else this.conversations.apply(record);
  }

  conversationOf(agent_id: string): Conversation {
    const isRoot = agent_id === this.openWork.rootAgentId;
    return isRoot ? this.conversation : this.conversations.get(agent_id);
  }

  /** Appends a request: its row, which can be settled, and its record. */
  async request(request: Omit<NewRequest, 'created_at'>, content: RecordContent): Promise<void> {
    const { agent_id, key } = request;
    this.requests.add(request);
    const created_at = new Date(this.now).toISOString();
    await this.append([{ agent_id, key, ...content }], { requests: [{ ...request, created_at }] });
  }

  /** Expiry of a request that is made now, ISO 8601; null: never. */
  requestExpiry(): string | null {
    const { approvalTimeoutMs } = this.services.config;
    return approvalTimeoutMs === 0 ? null : new Date(this.now + approvalTimeoutMs).toISOString();
  }

  /**
   * Stops the child agents that a person has deleted. One that has not started yet is stopped at
   * its start.
   */
  removeDeletedAgents(): void {
    for (const id of this.interventions.deletedAgents) this.children.get(id)?.removeIfDeleted();
  }

  /** An agent has ended, including its subtree. */
  endAgents(path: string): void {
    for (const agent of this.agents)
      if (agent === path || agent.startsWith(`${path}/`)) this.agents.delete(agent);
  }

  /**
   * Runs one piece of work at a time: parallel calls are judged, and people are asked, in call
   * order.
   */
  serialize<T>(work: () => Promise<T>): Promise<T> {
    const done = this.serialized.then(work);
    this.serialized = done.catch(() => {});
    return done;
  }

  /** True for the first time that a model's notice is told in this run. */
  isNews(notice: string): boolean {
    const isNew = !this.notices.has(notice);
    if (this.notices.size < MAX_NOTICES) this.notices.add(notice);
    return isNew;
  }

  get totalUsage(): Usage {
    return this.usage;
  }

  /** Adds the usage of a turn. Returns the new totals, to be appended with its record. */
  addUsage(model: string, usage: Usage): UsageEffects {
    this.usage = addUsage(this.usage, usage);
    this.usageByModel.add(model, usage);
    return this.usageEffects;
  }

  /** A turn that will not be completed. Its usage is saved with the next append. */
  abandon(turn: RunningTurn): void {
    this.turns.delete(turn);
    const { model } = turn.options;
    const used = turn.usage();
    if (!used) return;
    this.addUsage(model, this.services.pricing.priced(model, used));
    this.isUsageSaved = false;
  }

  private get usageEffects(): UsageEffects {
    const usage_by_model = this.usageByModel.rows;
    return { usage: this.usage, ...(usage_by_model && { usage_by_model }) };
  }
}

function forkOf({ body, key }: LogRecord): string[] {
  return body.type === 'AGENT_STARTED' && key !== null ? [key] : [];
}
