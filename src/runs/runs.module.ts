import { Logger, Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { CancellationModule } from '../cancellation/cancellation.module.js';
import { Config } from '../config/config.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { FilesModule } from '../files/files.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { StreamsModule } from '../streams/streams.module.js';
import { Clock } from '../kernel/clock.js';
import { ModelsModule } from '../models/models.module.js';
import { ConversationCacheModule } from '../persistence/conversation-cache/conversation-cache.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { WorkspaceModule } from '../workspace/workspace.module.js';
import { ObservedWindows } from './context-window/observed-windows.js';
import { CallRates } from './limits/call-limits.js';
import { Pricing } from './limits/pricing.js';
import { RunReports } from './scope/health/run-reports.js';
import { Inventory } from './requirements/inventory.js';
import { RequirementSweep } from './requirements/requirement-sweep.js';
import { RunServices } from './scope/run-services.js';
import { AbandonedRuns } from './runner/abandoned-runs.js';
import { CrashQuarantine } from './runner/crash-quarantine.js';
import { LeaseKeeper, ProcessName } from './runner/lease-keeper.js';
import { TurnFiles } from './turn-files/turn-files.js';
import { Runner } from './runner/runner.js';
import { Sweep } from './runner/sweep.js';

/** Runs interactions: leases, the sweep, crash quarantine, and the runs themselves. */
@Module({
  imports: [
    AgentsModule,
    CancellationModule,
    ConversationCacheModule,
    EventLogModule,
    FilesModule,
    GuardrailsModule,
    StreamsModule,
    ModelsModule,
    PermissionsModule,
    ToolsModule,
    WorkspaceModule,
  ],
  providers: [
    RunServices,
    {
      provide: RunReports,
      inject: [Clock],
      useFactory: (clock: Clock) => new RunReports(clock, new Logger('Run')),
    },
    Runner,
    LeaseKeeper,
    ProcessName,
    Sweep,
    Inventory,
    RequirementSweep,
    CrashQuarantine,
    CallRates,
    ObservedWindows,
    TurnFiles,
    {
      provide: Pricing,
      inject: [Config],
      useFactory: ({ prices }: Config) => new Pricing(prices, new Logger('Prices')),
    },
    AbandonedRuns,
  ],
  exports: [Runner, LeaseKeeper],
})
export class RunsModule {}
