import type { Type } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Application } from 'express';
import { Observable } from 'rxjs';
import { ChatAccess } from '../access/chat-access.js';
import type { Principal } from '../auth/principal.js';
import { CancellationService } from '../cancellation/cancellation.service.js';
import { Config } from '../config/config.js';
import { describeProxy } from '../config/proxy-for.js';
import type { FollowedEvent } from '../event-log/follow/follower.js';
import { Readers } from '../event-log/follow/readers.js';
import { AdmissionGate } from '../http/admission-gate.js';
import { ChatIdDto, InteractionIdDto } from '../http/input/ids.dto.js';
import { InputPipe } from '../http/input/input.pipe.js';
import { copyBody } from '../http/input/json-body.js';
import { RunsQueryDto } from '../interactions/dto/runs.dto.js';
import type { RunListDto } from '../interactions/dto/runs.dto.js';
import { StartInteractionDto } from '../interactions/dto/start-interaction.dto.js';
import { EventsService } from '../interactions/events.service.js';
import { InteractionView } from '../interactions/interaction-view.js';
import { checkIdempotencyKey } from '../interactions/interactions.decorators.js';
import { InteractionsService } from '../interactions/interactions.service.js';
import { RunsService } from '../interactions/runs.service.js';
import { withinTenant } from '../kernel/tenant-scope.js';
import { AppLogger } from '../logging/app-logger.js';
import type { Interaction } from '../protocol/interaction.js';
import { callerOf } from './caller-of.js';
import type { OnBehalf } from './caller-of.js';
import { followEvents } from './follow-events.js';
import { describeListenFault } from './listen-fault.js';

export interface StartOptions extends OnBehalf {
  /** The same key and body again give the same interaction. */
  readonly idempotency_key?: string;
}

export interface FollowOptions extends OnBehalf {
  /** Events after this cursor; all of them unless given. */
  readonly after?: string;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
}

/** A page of the active interactions of a tenant, as `GET /interactions`. */
export interface ListOptions extends OnBehalf, Partial<RunsQueryDto> {}

/**
 * A Parley server inside another program. Bodies and errors are those of the HTTP API: each method
 * throws an `AppError` with the `code` that an HTTP client would get.
 */
export class ParleyServer {
  private readonly input = new InputPipe();
  private address: string | undefined;
  private closed = false;

  /** @param app configured, and not initialised yet */
  constructor(private readonly app: NestExpressApplication) {}

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
    const use = config.role === 'worker' ? 'runs agents' : `API to try: ${this.address}/docs`;
    new Logger('Parley').log(`Ready on ${this.address}; ${use}`);
    return this.address;
  }

  /** Starts an interaction in the background, as `POST /chats/{chat_id}/interactions` does. */
  start(
    chat_id: string,
    body: StartInteractionDto,
    { idempotency_key: key, ...behalf }: StartOptions = {},
  ): Promise<Interaction> {
    return this.as(behalf, async (caller) => {
      await this.check({ chat_id }, 'param', ChatIdDto);
      const checked = await this.check(copyBody(body), 'body', StartInteractionDto);
      const { user_message, on_conflict, ...rest } = checked;
      const { interaction } = await this.find(InteractionsService).start({
        ...{ caller, chat_id, user_message, on_conflict, body: rest },
        idempotency_key: checkIdempotencyKey(key),
        background: true,
      });
      return this.find(InteractionView).one(interaction);
    });
  }

  /** @throws AppError `interaction_not_found` */
  get(chat_id: string, interaction_id: string, behalf: OnBehalf = {}): Promise<Interaction> {
    return this.as(behalf, async (caller) => {
      const row = await this.rowOf(caller, chat_id, interaction_id);
      return this.find(InteractionView).one(row);
    });
  }

  /**
   * Active and queued interactions of the tenant, also those of other users, oldest first.
   * `next_cursor`: null on the last page.
   */
  listActive({ tenant_id, user_id, ...query }: ListOptions = {}): Promise<RunListDto> {
    return this.as({ tenant_id, user_id }, async (caller) =>
      this.find(RunsService).list(caller, await this.check(query, 'query', RunsQueryDto)),
    );
  }

  /**
   * The events of an interaction, past and live, each with the cursor after it. Ends after
   * `INTERACTION_COMPLETE`, and when the server shuts down.
   */
  async *follow(
    chat_id: string,
    interaction_id: string,
    { after, signal, ...behalf }: FollowOptions = {},
  ): AsyncGenerator<FollowedEvent, void> {
    const { from, tenant_id } = await this.as(behalf, async (caller) => {
      const row = await this.rowOf(caller, chat_id, interaction_id);
      const sent = after === undefined ? undefined : ({ field: 'after', text: after } as const);
      const position = this.find(EventsService).position(row, sent);
      return { from: position, tenant_id: caller.tenant_id };
    });
    if (!from) return;
    const { closed } = this.find(AdmissionGate);
    yield* followEvents({
      from,
      signal: signal ? AbortSignal.any([closed, signal]) : closed,
      open: (cursor, backlog) => {
        const events = this.find(Readers).follow({
          ...{ interaction_id, cursor, trace: false, backlog },
        });
        return new Observable((reader) => withinTenant(tenant_id, () => events.subscribe(reader)));
      },
    });
  }

  /** Stops an interaction; `follow` tells when it has ended. @throws AppError `already_ended` */
  async cancel(chat_id: string, interaction_id: string, behalf: OnBehalf = {}): Promise<void> {
    await this.as(behalf, (caller) =>
      this.find(CancellationService).requestByUser(caller, chat_id, interaction_id),
    );
  }

  /** Ends streams, hands running interactions over to the next start, and closes the store. */
  async shutdown(): Promise<void> {
    this.address = undefined;
    await this.app.close();
    this.closed = true;
  }

  private find<T>(type: Type<T>): T {
    return this.app.get(type, { strict: false });
  }

  private async as<T>(behalf: OnBehalf, work: (caller: Principal) => Promise<T>): Promise<T> {
    const caller = callerOf(behalf);
    return withinTenant(caller.tenant_id, () => work(caller));
  }

  private async rowOf(caller: Principal, chat_id: string, interaction_id: string) {
    await this.check({ chat_id, interaction_id }, 'param', InteractionIdDto);
    return this.find(ChatAccess).interaction(caller, chat_id, interaction_id);
  }

  private async check<T>(
    value: object,
    type: 'body' | 'param' | 'query',
    metatype: Type<T>,
  ): Promise<T> {
    return (await this.input.transform(value, { type, metatype })) as T;
  }
}
