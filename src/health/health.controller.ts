import { Controller, Get } from '@nestjs/common';
import {
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { Access } from '../access/access.decorator.js';
import { PossibleCaller } from '../auth/caller.decorator.js';
import { JwtVerifier } from '../auth/jwt/jwt-verifier.js';
import type { Principal } from '../auth/principal.js';
import { AdmissionGate } from '../http/admission-gate.js';
import { NeedsNoStore } from '../http/security/needs-no-store.js';
import { ProblemDto } from '../http/errors/problem.dto.js';
import { AppError } from '../kernel/app-error.js';
import { LiveBus } from '../event-log/live/live-bus.js';
import { RunQueue } from '../queue/run-queue.js';
import { StoreHealth } from '../event-log/store-health.js';
import { ToolRegistry } from '../tools/core/tool-registry.js';
import { ToolServerDto, toServerDto } from '../tools/tool-server.dto.js';
import { ReceiverHealth } from '../webhooks/receiver-health.js';
import { Sandbox } from '../workspace/sandbox/sandbox.js';
import type { SandboxKind } from '../workspace/sandbox/sandbox.js';

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
    private readonly bus: LiveBus,
    private readonly queue: RunQueue,
    private readonly sandbox: Sandbox,
    private readonly tools: ToolRegistry,
    private readonly admission: AdmissionGate,
    private readonly tokens: JwtVerifier,
    private readonly receiver: ReceiverHealth,
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
    const degraded = this.outages();
    return {
      status: degraded.length > 0 ? 'degraded' : 'ok',
      ...(degraded.length > 0 && { degraded }),
      sandbox: { kind, description },
      tool_servers: this.tools.servers().map(toServerDto),
    };
  }

  /**
   * Without Redis, readers on other processes see events late; without a tool server, agents lack
   * its tools; without the token issuer, only tokens of its known keys are accepted, for a day;
   * without the receiver, webhooks wait.
   */
  private outages(): OutageDto[] {
    const { awaySince, refusedSince } = this.bus;
    const redisSince = awaySince ?? refusedSince ?? this.queue.refusedSince;
    return [
      ...(this.tokens.awaySince
        ? [{ dependency: 'token issuer', since: this.tokens.awaySince.toISOString() }]
        : []),
      ...(this.receiver.awaySince
        ? [describeReceiver(this.receiver, this.receiver.awaySince)]
        : []),
      ...(redisSince ? [{ dependency: 'redis', since: redisSince.toISOString() }] : []),
      ...this.tools
        .servers()
        .filter(({ state }) => state === 'unavailable')
        .map(({ name, since }) => ({ dependency: `tools of ${name}`, since })),
    ];
  }
}

function describeReceiver({ detail }: ReceiverHealth, since: Date): OutageDto {
  return { dependency: 'webhook receiver', since: since.toISOString(), detail };
}
