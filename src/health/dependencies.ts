import { Injectable } from '@nestjs/common';
import { JwtVerifier } from '../auth/jwt/jwt-verifier.js';
import { Config } from '../config/config.js';
import { LiveBus } from '../event-log/live/live-bus.js';
import { RunQueue } from '../queue/run-queue.js';
import { ToolRegistry } from '../tools/core/tool-registry.js';
import { ReceiverHealth } from '../webhooks/receiver-health.js';

export interface Dependency {
  /** `redis`, `token issuer`, `webhook receiver`, or `tools of <MCP server>` */
  readonly name: string;
  /** Undefined: it is available, as far as this process has seen. */
  readonly awaySince: Date | undefined;
  readonly detail?: string;
}

/** The dependencies that this process uses, and can work without for a while. */
@Injectable()
export class Dependencies {
  constructor(
    private readonly bus: LiveBus,
    private readonly queue: RunQueue,
    private readonly tools: ToolRegistry,
    private readonly tokens: JwtVerifier,
    private readonly receiver: ReceiverHealth,
    private readonly config: Config,
  ) {}

  /**
   * Without Redis, readers on other processes see events late; without a tool server, agents lack
   * its tools; without the token issuer, only tokens of its known keys are accepted, for a day;
   * without the receiver, webhooks wait.
   */
  list(): readonly Dependency[] {
    const { auth, webhookUrl, redisUrl, role } = this.config;
    const { receiver } = this;
    const redisSince = this.bus.awaySince ?? this.bus.refusedSince ?? this.queue.refusedSince;
    return [
      ...(auth.includes('jwt') ? [{ name: 'token issuer', awaySince: this.tokens.awaySince }] : []),
      ...(webhookUrl && role !== 'api'
        ? [{ name: 'webhook receiver', awaySince: receiver.awaySince, detail: receiver.detail }]
        : []),
      ...(redisUrl ? [{ name: 'redis', awaySince: redisSince }] : []),
      ...this.tools.servers().map(({ name, state, since }) => ({
        name: `tools of ${name}`,
        awaySince: state === 'unavailable' ? new Date(since) : undefined,
      })),
    ];
  }
}
