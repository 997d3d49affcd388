import { NoTracer } from '../../../src/tracing/tracer.js';
import { loadConfig } from '../../../src/config/load-config.js';
import type { Environment } from '../../../src/config/load-config.js';
import type { AudioService } from '../../../src/audio/audio.service.js';
import { TrustingJudge } from './trusting-judge.js';
import type { DiscoveryService } from '@nestjs/core';
import type { Logger } from '@nestjs/common';
import type { AgentContext } from '../../../src/agents/agent-context.js';
import type { Agent } from '../../../src/agents/agent.js';
import { ObservedWindows } from '../../../src/runs/context-window/observed-windows.js';
import { Pricing } from '../../../src/runs/limits/pricing.js';
import { TurnFiles } from '../../../src/runs/turn-files/turn-files.js';
import { CallRates } from '../../../src/runs/limits/call-limits.js';
import type { AgentRegistry } from '../../../src/agents/agent-registry.js';
import type { Config } from '../../../src/config/config.js';
import type { Hooks, ServerHooks } from '../../../src/agents/server-hooks.js';
import type { Workspaces } from '../../../src/workspace/workspaces.js';
import type { Guardrail } from '../../../src/guardrails/guardrail.js';
import { AttachedFiles } from '../../../src/files/attached/attached-files.js';
import { Guardrails } from '../../../src/guardrails/guardrails.js';
import { Redaction } from '../../../src/guardrails/redaction/redaction.js';
import { ConversationLoader } from '../../../src/runs/context-window/earlier-conversation.js';
import type { EarlierConversation } from '../../../src/runs/context-window/earlier-conversation.js';
import { Run } from '../../../src/runs/run.js';
import { WaitingRuns } from '../../../src/runs/parking.js';
import { RunReports } from '../../../src/runs/scope/health/run-reports.js';
import type { RunServices } from '../../../src/runs/scope/run-services.js';
import { AppError } from '../../../src/kernel/app-error.js';
import type { Clock } from '../../../src/kernel/clock.js';
import { SystemClock } from '../../../src/kernel/clock.js';
import { Ids } from '../../../src/kernel/ids.js';
import type { Frame } from '../../../src/event-log/live/live-bus.js';
import { LocalLiveBus } from '../../../src/event-log/live/local/local-live-bus.js';
import type { LogRecord } from '../../../src/persistence/rows/log-record.js';
import { LogWriter } from '../../../src/event-log/append/log-writer.js';
import type { InteractionRow } from '../../../src/persistence/rows/interaction-row.js';
import type { ApprovalMode } from '../../../src/protocol/chat-settings.js';
import type { AppendBatch, AppendOutcome } from '../../../src/persistence/rows/append-rows.js';
import type { LeaseTerms } from '../../../src/persistence/rows/lease-rows.js';
import { ConversationCache } from '../../../src/persistence/conversation-cache/conversation-cache.js';
import { Spill } from '../../../src/event-log/spill/spill.js';
import { ModelRegistry } from '../../../src/models/model-registry.js';
import type { ModelProvider, ModelTool } from '../../../src/models/model-provider.js';
import type { RecordOf, RecordType } from '../../../src/protocol/events.js';
import type { Message } from '../../../src/protocol/message.js';
import { RunSlots } from '../../../src/queue/local/run-slots.js';
import type { RunSlot } from '../../../src/queue/run-queue.js';
import type { ToolJudge } from '../../../src/permissions/judges/tool-judge.js';
import { Telemetry } from '../../../src/telemetry/telemetry.js';
import { ToolExecutor } from '../../../src/tools/core/tool-executor.js';
import { ToolRegistry } from '../../../src/tools/core/tool-registry.js';
import { OrphanedProcesses } from '../../../src/workspace/processes/orphaned-processes.js';
import type { Tool } from '../../../src/tools/core/tool.js';
import { chatOf } from '../store/chat-parts.js';
import type { WholeStore } from '../store/whole-store.js';
import { memoryStore, portsOf } from '../store/whole-store.js';
import { answerTurn } from '../model/model-events.js';
import { ScriptedProvider } from '../model/scripted-provider.js';

export type AgentFunction = (ctx: AgentContext) => Promise<string | void>;
type Append = (batches: readonly AppendBatch[]) => Promise<AppendOutcome[]>;

export interface RunWorldOptions {
  readonly agent?: AgentFunction | Agent;
  /** Further kinds of agents, by name; `tested: undefined`: the world's own is missing. */
  readonly kinds?: Readonly<Record<string, AgentFunction | Agent | undefined>>;
  /** null: none is set up. */
  readonly provider?: ModelProvider | null;
  readonly workspaces?: Workspaces;
  readonly tools?: readonly Tool[];
  readonly guardrails?: readonly Guardrail[];
  readonly hooks?: readonly Hooks[];
  readonly clock?: Clock;
  readonly max_iterations?: number;
  readonly approval_mode?: ApprovalMode;
  readonly client_tools?: readonly ModelTool[];
  readonly judge?: ToolJudge;
  readonly env?: Environment;
  /** Interactions start leased. */
  readonly lease?: LeaseTerms;
  /** Conversations up to this size are loaded whole. */
  readonly whole_bytes?: number;
  readonly context_messages?: number;
  /** The conversation from which the chat starts. */
  readonly messages?: readonly Message[];
}

/** What one process brings to a run; what it leaves out is the world's. */
export interface ProcessOptions extends RunWorldOptions {
  /** Stands between the run and the store. */
  readonly append?: Append;
  readonly holdsLease?: () => boolean;
  readonly slot?: RunSlot;
  /** Runs before it that were lost in a row. */
  readonly losses?: number;
  /** Why the run before it has ended. */
  readonly resumed?: string;
}

/** A lease that is over at once: in these tests whoever wants an interaction takes it. */
const TERMS = { owner: 'process', ttl_ms: 0 };

/** One interaction, its store and its processes: runs of it are taken up, stopped and looked at. */
export class RunWorld {
  readonly store: WholeStore;
  readonly bus = new LocalLiveBus();
  readonly frames: Frame[] = [];
  readonly warnings: unknown[] = [];
  readonly errors: unknown[] = [];
  /** Lines of the log about the interaction. */
  readonly reports: (readonly [level: string, line: Record<string, unknown>])[] = [];
  readonly telemetry = new Telemetry();
  readonly chatId = 'chat_test';
  readonly rootId = 'agent_root';
  /** Of all the world's processes. */
  private readonly rates = new CallRates();
  private readonly windows = new ObservedWindows();
  private readonly ids = new Ids();
  private id = '';

  private constructor(private readonly options: RunWorldOptions) {
    const { clock } = options;
    this.store = memoryStore(clock);
  }

  static async open(options: RunWorldOptions = {}): Promise<RunWorld> {
    const world = new RunWorld(options);
    await world.say('Hello');
    return world;
  }

  /** Starts the chat's next interaction; runs are of this one from now on. */
  async say(user_message: string): Promise<void> {
    this.id = this.ids.make('int');
    const created_at = new Date().toISOString();
    const { max_iterations = 5, approval_mode = 'ask', client_tools = [], lease } = this.options;
    const { context_messages, messages = [] } = this.options;
    await this.store.startInteraction({
      chat: chatOf({ id: this.chatId, created_at, messages }),
      interaction: {
        id: this.id,
        chat_id: this.chatId,
        user_message,
        agent: 'tested',
        model: 'fake/model',
        settings: {
          max_iterations,
          on_disconnect: 'continue',
          approval_mode,
          client_tools,
          ...(context_messages !== undefined && { context_messages }),
        },
        agent_id: this.rootId,
        created_at,
        metadata: {},
      },
      on_conflict: 'reject',
      ...(lease && { lease }),
    });
    this.bus.frames(this.id).subscribe((frame) => this.frames.push(frame));
  }

  get interactionId(): string {
    return this.id;
  }

  /** Takes the lease, as a process does that finds the interaction; undefined once it has ended. */
  async takeUp(options: ProcessOptions = {}): Promise<Run | undefined> {
    const lease = await this.store.acquireLease(this.id, TERMS);
    if (!lease) return undefined;
    const { interaction, parked } = lease;
    const start = {
      losses: options.losses ?? 0,
      alone_losses: 0,
      interaction,
      records: await this.log(),
      ...(await this.load(interaction, options)),
      ...(interaction.epoch > 1 && !parked && { resumed: options.resumed ?? 'lost' }),
    };
    const { holdsLease = () => true, slot = new RunSlots(1, () => {}).lend() } = options;
    return new Run(this.deps(options), start, {
      lease: {
        get isFresh() {
          return holdsLease();
        },
      },
      slot,
      waiting: new WaitingRuns(Infinity),
      quarantine: { release: () => {}, trialOf: () => 0 },
    });
  }

  private load(interaction: InteractionRow, options: ProcessOptions): Promise<EarlierConversation> {
    const services = this.deps(options);
    const loader = new ConversationLoader(services, interaction, this.options.whole_bytes);
    return loader.load(services.config.contextStrategy !== 'none');
  }

  /** Runs it once, until the run stops. */
  async run(options: ProcessOptions = {}): Promise<void> {
    const run = await this.takeUp(options);
    await run?.execute();
  }

  log(): Promise<LogRecord[]> {
    return this.store.readRecords(this.id, { after: 0, limit: Infinity });
  }

  async row(): Promise<InteractionRow> {
    return (await this.store.findInteraction(this.id))!;
  }

  async types(): Promise<RecordType[]> {
    return (await this.log()).map(({ body }) => body.type);
  }

  /** All records of a type, in order. */
  async all<T extends RecordType>(type: T): Promise<RecordOf<T>[]> {
    const bodies = (await this.log()).map(({ body }) => body);
    return bodies.filter((body): body is RecordOf<T> => body.type === type);
  }

  /** What the interaction added to the conversation; undefined until it ended. */
  async messages(): Promise<Message[] | undefined> {
    return (await this.store.findAddedMessages([this.id])).get(this.id);
  }

  deps(options: ProcessOptions = {}): RunServices {
    const settings = { ...this.options, ...options };
    const { provider = ScriptedProvider.playing(answerTurn('Hi')), tools = [] } = settings;
    const { clock = new SystemClock(), agent = async () => {}, kinds, append } = settings;
    const { judge = new TrustingJudge(), env = {} } = settings;
    const registry = new ToolRegistry(undefined as unknown as DiscoveryService);
    for (const tool of tools) registry.add(tool);
    const config = loadConfig(env);
    const redaction = new Redaction(config);
    const limits = { toolTimeoutMs: 60_000, toolOutputLimit: 30_000 };
    return {
      logger: this.logger(),
      ...portsOf(this.store),
      bus: this.bus,
      conversations: new ConversationCache(this.store),
      spill: new Spill(portsOf(this.store)),
      writer: new LogWriter(this.storeThrough(append), clock, { save_timeout_ms: 0 }),
      agents: registryOf({ tested: agent, ...kinds }),
      hooks: { all: settings.hooks ?? [] } as unknown as ServerHooks,
      models: new ModelRegistry(provider ? [provider] : [], 'fake/model'),
      tools: registry,
      executor: new ToolExecutor(registry, limits, clock),
      judge,
      redaction,
      turnFiles: new TurnFiles(config, redaction, clock),
      files: new AttachedFiles(noFiles, noFiles, undefined as unknown as AudioService, config),
      guardrails: this.guardrailsOf(settings.guardrails ?? [], config),
      reports: new RunReports(clock, this.reportLogger()),
      telemetry: this.telemetry,
      tracer: new NoTracer(),
      rates: this.rates,
      windows: this.windows,
      pricing: new Pricing(config.prices, { warn: () => {} }),
      orphans: new OrphanedProcesses(),
      workspaces: settings.workspaces ?? (undefined as unknown as Workspaces),
      config,
      clock,
      ids: this.ids,
    };
  }

  private guardrailsOf(all: readonly Guardrail[], config: Config): Guardrails {
    const discovery = undefined as unknown as DiscoveryService;
    const guardrails = new Guardrails(discovery, config, this.telemetry);
    guardrails.use(all);
    return guardrails;
  }

  private storeThrough(append: Append | undefined): WholeStore {
    return append ? Object.assign(Object.create(this.store) as WholeStore, { append }) : this.store;
  }

  private reportLogger(): Logger {
    const to = (level: string, all: unknown[]) => (line: Record<string, unknown>) => {
      this.reports.push([level, line]);
      all.push(line['err'] ?? line);
    };
    return {
      log: to('info', []),
      warn: to('warn', this.warnings),
      error: to('error', this.errors),
    } as unknown as Logger;
  }

  private logger(): Logger {
    return {
      debug: () => {},
      log: () => {},
      warn: (line: string) => this.warnings.push(line),
      error: (error: unknown) => this.errors.push(error),
    } as unknown as Logger;
  }
}

/** No interaction here has files. */
const noFiles = undefined as never;

function registryOf(kinds: NonNullable<RunWorldOptions['kinds']>): AgentRegistry {
  const get = (name: string) => {
    const kind = kinds[name];
    if (!kind) throw new AppError('invalid', 'unknown_agent', `There is no agent "${name}".`);
    return typeof kind === 'function' ? { run: kind } : kind;
  };
  const find = (name: string) => kinds[name] && { type: { name, description: '' } };
  return { get, find } as unknown as AgentRegistry;
}
