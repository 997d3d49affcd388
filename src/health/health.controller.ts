import { Controller, Get } from '@nestjs/common';
import {
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { Access } from '../auth/access.decorator.js';
import { PossibleCaller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { AdmissionGate } from '../streams/admission-gate.js';
import { NeedsNoStore } from '../http/security/needs-no-store.js';
import { ProblemDto } from '../http/errors/problem.dto.js';
import { AppError } from '../kernel/app-error.js';
import { VERSION } from '../kernel/version.js';
import { StoreHealth } from '../event-log/store-health.js';
import { ToolRegistry } from '../tools/core/tool-registry.js';
import { ToolServerDto, toServerDto } from '../tools/tool-server.dto.js';
import { Sandbox } from '../workspace/sandbox/sandbox.js';
import type { SandboxKind } from '../workspace/sandbox/sandbox.js';
import { Dependencies } from './dependencies.js';
import type { Dependency } from './dependencies.js';

class HealthDto {
  @ApiProperty({ example: 'ok' })
  readonly status: string;
}

class NotReadyDto extends ProblemDto {
  @ApiProperty({ example: 'database', description: 'The unavailable dependency.' })
  readonly dependency: string;

  @ApiProperty({ format: 'date-time' })
  readonly since: string;
}

class SandboxDto {
  @ApiProperty({ enum: ['bubblewrap', 'none', 'missing'] })
  readonly kind: SandboxKind;

  @ApiProperty({ example: 'bubblewrap: only the workspace is writable, no network' })
  readonly description: string;
}

class OutageDto {
  @ApiProperty({
    example: 'redis',
    description: '`redis`, `token issuer`, `webhook receiver`, or `tools of <MCP server>`',
  })
  readonly dependency: string;

  @ApiProperty({ format: 'date-time' })
  readonly since: string;

  @ApiPropertyOptional({
    example: 'answered 503; waiting: 12, given up: 0',
    description: 'Of the webhook receiver: its last fault, and the webhooks that are kept.',
  })
  readonly detail?: string;
}

class ReadyDto {
  @ApiProperty({ enum: ['ok', 'degraded'] })
  readonly status: 'ok' | 'degraded';

  @ApiPropertyOptional({ example: VERSION, description: 'Of the server.' })
  readonly version?: string;

  @ApiPropertyOptional({
    type: [OutageDto],
    description: 'Unavailable dependencies that the server can work without for a while.',
  })
  readonly degraded?: readonly OutageDto[];

  @ApiPropertyOptional({ type: SandboxDto, description: 'Confines the commands of agents.' })
  readonly sandbox?: SandboxDto;

  @ApiPropertyOptional({ type: [ToolServerDto], description: 'Sources of tools that can fail.' })
  readonly tool_servers?: readonly ToolServerDto[];
}

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
  @ApiResponse({ status: 200, type: HealthDto })
  live(): HealthDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({
    summary:
      'The process can serve: it is not shutting down, and its store answers and accepts writes',
    description: 'With the scope `operate` also the details; others get the status only.',
  })
  @ApiResponse({ status: 200, type: ReadyDto })
  @ApiResponse({ status: 503, type: NotReadyDto })
  ready(@PossibleCaller() caller: Principal | undefined): ReadyDto {
    this.admission.requireOpen();
    const { awaySince, name: dependency } = this.store;
    const isOperator = caller?.scopes.has('operate') ?? false;
    if (!awaySince) return isOperator ? this.describe() : { status: 'ok' };
    if (!isOperator)
      throw new AppError('unavailable', 'not_ready', "Not ready. See the server's log.");
    const since = awaySince.toISOString();
    const detail = `The ${dependency} has been unavailable since ${since}. See the server's log.`;
    throw new AppError('unavailable', 'not_ready', detail, { extra: { dependency, since } });
  }

  private describe(): ReadyDto {
    const { kind, description } = this.sandbox;
    const degraded = this.dependencies.list().flatMap(describe);
    return {
      status: degraded.length > 0 ? 'degraded' : 'ok',
      version: VERSION,
      ...(degraded.length > 0 && { degraded }),
      sandbox: { kind, description },
      tool_servers: this.tools.servers().map(toServerDto),
    };
  }
}

function describe({ name, awaySince, detail }: Dependency): OutageDto[] {
  if (!awaySince) return [];
  return [{ dependency: name, since: awaySince.toISOString(), ...(detail && { detail }) }];
}
