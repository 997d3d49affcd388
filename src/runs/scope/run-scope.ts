import type { Logger } from '@nestjs/common';
import type { Clock } from '../../kernel/clock.js';
import type { Guardrails } from '../../guardrails/guardrails.js';
import type { Ids } from '../../kernel/ids.js';
import type { InteractionStore } from '../../persistence/interaction.store.js';
import type { RecordStore } from '../../persistence/record.store.js';
import type { RequestStore } from '../../persistence/request.store.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type {
  NewRequest,
  RequestKind,
  RequestRow,
  Settlement,
} from '../../persistence/rows/request-rows.js';
import type { AppendEffects, Entry, RunLog } from '../../event-log/append/run-log.js';
import type { InteractionRow } from '../../persistence/rows/store-rows.js';
import type { ModelRegistry } from '../../models/model-registry.js';
import type { ToolJudge } from '../../permissions/tool-judge.js';
import type { RecordBody } from '../../protocol/events.js';
import type { InteractionStatus, Usage } from '../../protocol/interaction.js';
import type { Message } from '../../protocol/message.js';
import type { ToolExecutor } from '../../tools/tool-executor.js';
import type { ToolRegistry } from '../../tools/tool-registry.js';
import type { AgentRegistry } from '../../agents/agent-registry.js';
import { ContextMarks } from '../context-window/context-marks.js';
import type { ContextSettings } from '../context-window/model-context.js';
import { TokenScale } from '../context-window/token-scale.js';
import type { Journal } from '../journal/journal.js';
import type { Budget, ModelPrices } from '../../protocol/budget.js';
import type { Activity } from './activity.js';
import { Budgets } from '../limits/budgets.js';
import type { CallIds } from '../../conversation/call-ids.js';
import { CallLimits } from '../limits/call-limits.js';
import type { CallLimitSettings } from '../limits/call-limits.js';
import type { CallRates } from '../limits/call-rates.js';
import type { ChildAgent } from '../children/child-agent.js';
import { ChildConversations } from '../../conversation/child-conversations.js';
import { EarlierMarks } from '../context-window/earlier-marks.js';
import { EarlierOutputs } from '../context-window/earlier-outputs.js';
import { FairSemaphore } from '../limits/fair-semaphore.js';
import { ImageRoom } from '../tool-call/image-room.js';
import { OutputRoom } from '../tool-call/output-room.js';
import { Interventions } from '../children/interventions.js';
import type { TreeLimitSettings } from '../effects/fork.effect.js';
import type { Leftovers } from './leftovers.js';
import { RepeatedCalls } from '../tool-call/repeated-calls.js';
import { PendingRequests } from './pending-requests.js';
import type { TurnStream } from '../model-turn/turn-stream.js';
import { WorkCount } from './work-count.js';

export interface ScopeServices {
  readonly interactions: Pick<InteractionStore, 'findInteraction' | 'listInteractions'>;
  readonly records: Pick<RecordStore, 'readRecordsOfTypes'>;
  readonly requests: Pick<RequestStore, 'settleRequest' | 'findRequest'>;
  readonly agents: AgentRegistry;
  readonly models: ModelRegistry;
  readonly tools: ToolRegistry;
  readonly executor: ToolExecutor;
  readonly judge: ToolJudge;
  readonly guardrails: Guardrails;
  readonly rates: CallRates;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface RunScopeOptions {
  readonly interaction: InteractionRow;
  /** The conversation before it. */
  readonly before: readonly Message[];
  readonly services: ScopeServices;
  readonly log: RunLog;
  readonly journal: Journal;
  readonly call_ids: CallIds;
  readonly leftovers: Leftovers;
  /** How long a request stays open, in milliseconds; 0: for ever. */
  readonly request_timeout_ms: number;
  readonly limits: CallLimitSettings & TreeLimitSettings;
  /** Of the whole tree. */
  readonly budget: Budget;
  readonly prices: ModelPrices;
  readonly context: ContextSettings;
  /** Called with what the run does now, whether or not that has changed. */
  readonly onActivity: (activity: Activity) => void;
}

/** What all agents of one run share. */
export class RunScope {
  /** Model turns that are being streamed. */
  readonly turns = new Set<TurnStream>();
  /** Tool calls that did not stop when they were told to (I7). */
  readonly unstoppable = new Set<string>();
  /** Paths of the child agents that run, or are about to. */
  readonly agents = new Set<string>();
  readonly conversations = new ChildConversations();
  /** By id, the child agents that this run knows of. */
  readonly children = new Map<string, ChildAgent>();
  readonly interventions = new Interventions();
  /** A provider has refused images in this run: none are shown any more. */
  isBlind = false;
  readonly limits: CallLimits;
  /** Of model turns. */
  readonly slots: FairSemaphore;
  readonly budgets: Budgets;
  readonly repeated = new RepeatedCalls();
  readonly imageRoom = new ImageRoom();
  readonly outputRoom: OutputRoom;
  readonly marks = new ContextMarks();
  readonly tokens = new TokenScale();
  /** Of the interactions before. */
  readonly earlier: EarlierMarks;
  readonly outputs: EarlierOutputs;
  /** Rejects when the run can't go on, whatever the agents do. */
  readonly failure: Promise<never>;
  private readonly work = new WorkCount(() => this.onWorkChange());
  private readonly desk = new PendingRequests(() => this.onWorkChange());
  private status: InteractionStatus;
  private turn: Promise<unknown> = Promise.resolve();
  private usage: Usage;
  private rejectFailure: (error: unknown) => void = () => {};

  constructor(readonly options: RunScopeOptions) {
    this.usage = options.interaction.usage;
    this.status = options.interaction.status;
    const { interaction, limits: settings, services } = options;
    this.limits = new CallLimits({ interaction, settings, rates: services.rates });
    this.slots = new FairSemaphore(settings.maxParallelTurns);
    const { budget, prices } = options;
    this.budgets = new Budgets({ root_id: interaction.agent_id, budget, prices });
    this.earlier = new EarlierMarks(services, interaction);
    const { before } = options;
    this.outputRoom = new OutputRoom(services.executor);
    this.outputs = new EarlierOutputs(services, { interaction, before });
    this.failure = new Promise((_, reject) => {
      this.rejectFailure = reject;
    });
    this.failure.catch(() => {});
  }

  /** A record of this interaction, when its turn comes. */
  observe(record: LogRecord): void {
    this.limits.apply(record);
    this.budgets.apply(record);
    this.repeated.apply(record);
    this.imageRoom.apply(record);
    this.outputRoom.apply(record);
    this.marks.apply(record);
    this.tokens.apply(record);
  }

  fail(error: unknown): void {
    this.rejectFailure(error);
  }

  /** Stops the child agents that somebody wants gone. One that has not come to its start yet is stopped there. */
  removeUnwanted(): void {
    for (const id of this.interventions.unwanted) this.children.get(id)?.removeIfUnwanted();
  }

  /** An agent has ended, and its subtree with it. */
  endAgents(path: string): void {
    for (const agent of this.agents)
      if (agent === path || agent.startsWith(`${path}/`)) this.agents.delete(agent);
  }

  /** A piece of work has begun, until the returned function is called. */
  begin(): () => void {
    return this.work.begin();
  }

  /** A piece of work waits for another one, until the returned function is called. Unless it can be run again, it pins the run to memory. */
  suspend(repeatable: boolean): () => void {
    return this.work.suspend(repeatable);
  }

  /** One after the other: parallel calls are judged and asked about in their order. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => {});
    return done;
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
  append(entries: readonly Entry[], effects: AppendEffects): Promise<readonly LogRecord[]> {
    const { log } = this.options;
    const { status } = this.desk;
    if (effects.status !== undefined || status === this.status) return log.append(entries, effects);
    this.status = status;
    return log.append(entries, { ...effects, status });
  }

  /** Asks for something: the record that tells of it and the row that can be settled, in one append. */
  async request(request: Omit<NewRequest, 'created_at'>, body: RecordBody): Promise<void> {
    const { agent_id, key } = request;
    this.desk.expect(request);
    const created_at = this.options.services.clock.now().toISOString();
    await this.append([{ agent_id, key, body }], { requests: [{ ...request, created_at }] });
  }

  waitFor(requestId: string, kind: RequestKind, signal: AbortSignal): Promise<Settlement> {
    return this.desk.wait(requestId, kind, signal);
  }

  settlementOf(requestId: string): Settlement | undefined {
    return this.desk.settlementOf(requestId);
  }

  /** Settles a question whose answer nobody waits for any more; a person may have been faster. */
  async decline(requestId: string): Promise<void> {
    const { requests, clock } = this.options.services;
    const settlement = { kind: 'input', answer: null, by: 'cancel' } as const;
    const at = clock.now().toISOString();
    await requests.settleRequest({ request_id: requestId, settlement, at, accept_expired: true });
    const row = await requests.findRequest(requestId);
    if (row) this.desk.take([row]);
  }

  /** Keys of the questions that were asked inside a call and are open. */
  openQuestions(callKey: string): readonly string[] {
    return this.desk.openQuestions(callKey);
  }

  takeRequests(rows: readonly RequestRow[]): void {
    this.desk.take(rows);
  }

  /** When a request that is made now expires; null: never. */
  expiry(): string | null {
    const { request_timeout_ms, services } = this.options;
    if (request_timeout_ms === 0) return null;
    return new Date(services.clock.now().getTime() + request_timeout_ms).toISOString();
  }

  private onWorkChange(): void {
    this.options.onActivity(this.work.activity(this.desk.size));
  }
}
