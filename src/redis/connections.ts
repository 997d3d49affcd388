import type { AbstractConnector, RedisOptions } from 'ioredis';
import { StandaloneConnector } from 'ioredis/built/connectors/index.js';
import { failoverCode, isReplica } from './redis-faults.js';
import type { RedisInfo } from './redis-faults.js';

/** Minimum interval between two replacements of all connections, in milliseconds. */
const PAUSE_MS = 10_000;
const REPLICA = 'it is a read-only replica';

/**
 * The open connections of this process to one URL. After a failover its name leads to another
 * server, and the old one may keep its connections. One connection that notices is enough: all are
 * opened anew, which resolves the name again.
 */
export class Connections {
  private static readonly byUrl = new Map<string, Connections>();

  private readonly open = new Map<AbstractConnector, (error: Error) => void>();
  private replacedAt = -Infinity;

  static to(url: string): Connections {
    const connections = this.byUrl.get(url) ?? new Connections();
    this.byUrl.set(url, connections);
    return connections;
  }

  /** Options for a connection and its duplicates; `onError` gets the reason for its replacement. */
  options(onError: (error: Error) => void): RedisOptions {
    return {
      Connector: this.connectorFor(onError),
      reconnectOnError: ({ message }) => {
        const code = failoverCode(message);
        if (code) this.replace(`its reply ${code} suggests a failover`);
        return false; // `replace` reconnects this one too
      },
    };
  }

  judge(info: RedisInfo): void {
    if (isReplica(info)) this.replace(REPLICA);
  }

  /** Does nothing soon after the last time: the name may still lead to the old server. */
  replace(reason: string): void {
    if (performance.now() - this.replacedAt < PAUSE_MS) return;
    this.replacedAt = performance.now();
    for (const [connector, onError] of this.open) {
      onError(new Error(reason));
      connector.disconnect(); // the client reconnects
    }
  }

  private connectorFor(onError: (error: Error) => void): RedisOptions['Connector'] {
    const { open } = this;
    return class extends StandaloneConnector {
      override async connect(...args: Parameters<StandaloneConnector['connect']>) {
        const stream = await super.connect(...args);
        stream.once('connect', () => open.set(this, onError));
        return stream.once('close', () => open.delete(this));
      }

      /** False: it does not become ready, and the client reconnects. */
      override check(info: RedisInfo): boolean {
        if (isReplica(info)) onError(new Error(REPLICA));
        return !isReplica(info);
      }
    } as RedisOptions['Connector'];
  }
}
