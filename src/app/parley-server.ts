import type { Type } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Application } from 'express';
import { Config } from '../config/config.js';
import { describeProxy } from '../config/proxy-for.js';
import { AppLogger } from '../logging/app-logger.js';
import { describeListenFault } from './listen-fault.js';
import { ParleyOperations } from './parley-operations.js';

/** A Parley server inside another program. */
export class ParleyServer extends ParleyOperations {
  private address: string | undefined;
  private closed = false;

  /** @param app configured, and not initialised yet */
  constructor(private readonly app: NestExpressApplication) {
    super();
  }

  /** Where it listens; undefined while it does not. */
  get url(): string | undefined {
    return this.address;
  }

  /** True once it has shut down. */
  get isClosed(): boolean {
    return this.closed;
  }

  /** The HTTP API for an Express application of yours: `app.use('/parley', server.handler)`. */
  get handler(): Application {
    return this.app.getHttpAdapter().getInstance() as Application;
  }

  /** Writes logs as the server does, in the format of `LOG_FORMAT` and without secrets. */
  get logger(): AppLogger {
    return this.find(AppLogger);
  }

  /** Starts to run interactions; also those that an earlier process has left. */
  async init(): Promise<this> {
    await this.app.init();
    const config = this.find(Config);
    const logger = new Logger('Parley');
    for (const warning of config.warnings) logger.warn(warning);
    logger.log(`Model ${config.model}: ${config.modelReason}`);
    const proxy = describeProxy(config);
    if (proxy) logger.log(proxy);
    return this;
  }

  /**
   * Serves the HTTP API on `HOST` and `PORT`, and returns its URL.
   * @throws AppError `cannot_listen`, which names the variable to change
   */
  async listen(): Promise<string> {
    const config = this.find(Config);
    await this.app.listen(config.port, config.host).catch((error: unknown) => {
      throw describeListenFault(error, config);
    });
    this.address = await this.app.getUrl();
    const page = config.ui ? 'open it to chat; ' : '';
    const use =
      config.role === 'worker' ? 'runs agents' : `${page}API to try: ${this.address}/docs`;
    new Logger('Parley').log(`Ready on ${this.address}; ${use}`);
    return this.address;
  }

  /** Ends streams, hands running interactions over to the next start, and closes the store. */
  async shutdown(): Promise<void> {
    this.address = undefined;
    await this.app.close();
    this.closed = true;
  }

  protected override find<T>(type: Type<T>): T {
    return this.app.get(type, { strict: false });
  }
}
