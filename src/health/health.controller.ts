import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '../auth/access.decorator.js';
import { PossibleCaller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { AdmissionGate } from '../streams/admission-gate.js';
import { NeedsNoStore } from '../http/security/needs-no-store.js';
import { AppError } from '../kernel/app-error.js';
import { VERSION } from '../kernel/version.js';
import { StoreHealth } from '../event-log/store-health.js';
import { ToolRegistry } from '../tools/core/tool-registry.js';
import { viewServer } from '../tools/view-server.js';
import { ApiAnswer } from '../http/openapi/answer.js';
import { liveness, notReady, readiness } from './readiness.js';
import type { Liveness, Outage, Readiness } from './readiness.js';
import { Sandbox } from '../workspace/sandbox/sandbox.js';
import { Dependencies } from './dependencies.js';
import type { Dependency } from './dependencies.js';

@ApiTags('operations')
@NeedsNoStore()
@Access('public')
@Controller('health')
export class HealthController {
  constructor(
    private readonly store: StoreHealth,
    private readonly sandbox: Sandbox,
    private readonly tools: ToolRegistry,
    private readonly admission: AdmissionGate,
    private readonly dependencies: Dependencies,
  ) {}

  @Get('live')
  @ApiOperation({ summary: 'The process answers' })
  @ApiAnswer(200, liveness)
  live(): Liveness {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({
    summary:
      'The process can serve: it is not shutting down, and its store answers and accepts writes',
    description:
      'With a credential also the version, and with the scope `operate` the details; others get the status only.',
  })
  @ApiAnswer(200, readiness)
  @ApiAnswer(503, notReady)
  ready(@PossibleCaller() caller: Principal | undefined): Readiness {
    this.admission.requireOpen();
    const { awaySince, name: dependency } = this.store;
    const isOperator = caller?.scopes.has('operate') ?? false;
    if (!awaySince)
      return {
        ...{ status: 'ok', ...(caller && { version: VERSION }) },
        ...(isOperator && this.describe()),
      };
    if (!isOperator)
      throw new AppError('unavailable', 'not_ready', "Not ready. See the server's log.");
    const since = awaySince.toISOString();
    const detail = `The ${dependency} has been unavailable since ${since}. See the server's log.`;
    throw new AppError('unavailable', 'not_ready', detail, { extra: { dependency, since } });
  }

  private describe(): Omit<Readiness, 'version'> {
    const { kind, description } = this.sandbox;
    const degraded = this.dependencies.list().flatMap(describe);
    return {
      status: degraded.length > 0 ? 'degraded' : 'ok',
      ...(degraded.length > 0 && { degraded }),
      sandbox: { kind, description },
      tool_servers: this.tools.servers().map(viewServer),
    };
  }
}

function describe({ name, awaySince, detail }: Dependency): Outage[] {
  if (!awaySince) return [];
  return [{ dependency: name, since: awaySince.toISOString(), ...(detail && { detail }) }];
}
