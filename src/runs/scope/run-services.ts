import { Injectable, Logger } from '@nestjs/common';
import { AgentRegistry } from '../../agents/agent-registry.js';
import { ServerHooks } from '../../agents/server-hooks.js';
import { Config } from '../../config/config.js';
import { LogWriter } from '../../event-log/append/log-writer.js';
import { LiveBus } from '../../event-log/live/live-bus.js';
import { Spill } from '../../event-log/spill/spill.js';
import { AttachedFiles } from '../../files/attached/attached-files.js';
import { Guardrails } from '../../guardrails/guardrails.js';
import { Redaction } from '../../guardrails/redaction/redaction.js';
import { Clock } from '../../kernel/clock.js';
import { Ids } from '../../kernel/ids.js';
import { ModelRegistry } from '../../models/model-registry.js';
import { ToolJudge } from '../../permissions/judges/tool-judge.js';
import { ConversationCache } from '../../persistence/conversation-cache/conversation-cache.js';
import type { InteractionStore } from '../../persistence/interaction.store.js';
import type { InterventionStore } from '../../persistence/intervention.store.js';
import type { LeaseStore } from '../../persistence/lease.store.js';
import type { RecordStore } from '../../persistence/record.store.js';
import type { RequestStore } from '../../persistence/request.store.js';
import { RunStores } from '../../persistence/stores.js';
import { Telemetry } from '../../telemetry/telemetry.js';
import { Tracer } from '../../tracing/tracer.js';
import { ToolExecutor } from '../../tools/core/tool-executor.js';
import { ToolRegistry } from '../../tools/core/tool-registry.js';
import { OrphanedProcesses } from '../../workspace/processes/orphaned-processes.js';
import { Workspaces } from '../../workspace/workspaces.js';
import { CallRates } from '../limits/call-limits.js';
import { ObservedWindows } from '../context-window/observed-windows.js';
import { Pricing } from '../limits/pricing.js';
import { TurnFiles } from '../turn-files/turn-files.js';
import { RunReports } from './health/run-reports.js';

/** The services of the process that runs use. */
@Injectable()
export class RunServices {
  readonly logger = new Logger('Run');

  readonly interactions: InteractionStore;
  readonly records: RecordStore;
  readonly leases: LeaseStore;
  readonly requests: RequestStore;
  readonly interventions: InterventionStore;

  constructor(
    stores: RunStores,
    readonly bus: LiveBus,
    readonly conversations: ConversationCache,
    readonly writer: LogWriter,
    readonly spill: Spill,
    readonly agents: AgentRegistry,
    readonly hooks: ServerHooks,
    readonly models: ModelRegistry,
    readonly tools: ToolRegistry,
    readonly executor: ToolExecutor,
    readonly judge: ToolJudge,
    readonly guardrails: Guardrails,
    readonly redaction: Redaction,
    readonly files: AttachedFiles,
    readonly reports: RunReports,
    readonly telemetry: Telemetry,
    readonly rates: CallRates,
    readonly tracer: Tracer,
    readonly pricing: Pricing,
    readonly windows: ObservedWindows,
    readonly turnFiles: TurnFiles,
    readonly orphans: OrphanedProcesses,
    readonly workspaces: Workspaces,
    readonly config: Config,
    readonly clock: Clock,
    readonly ids: Ids,
  ) {
    this.interactions = stores.interactions;
    this.records = stores.records;
    this.leases = stores.leases;
    this.requests = stores.requests;
    this.interventions = stores.interventions;
  }
}
