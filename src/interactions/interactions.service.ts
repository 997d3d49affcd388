import { Injectable } from '@nestjs/common';
import { AgentRegistry } from '../agents/agent-registry.js';
import { Config } from '../config/config.js';
import { AdmissionGate } from '../http/admission-gate.js';
import { AppError } from '../kernel/app-error.js';
import { Clock } from '../kernel/clock.js';
import { doneWithin } from '../kernel/done-within.js';
import { Ids } from '../kernel/ids.js';
import { ChatStore } from '../persistence/chat.store.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import { LiveBus } from '../event-log/live/live-bus.js';
import type {
  InteractionRow,
  NewInteraction,
  StartInteraction,
} from '../persistence/rows/store-rows.js';
import { ModelRegistry } from '../models/model-registry.js';
import { RunQueue } from '../queue/run-queue.js';
import { ToolRegistry } from '../tools/tool-registry.js';
import { acceptStart } from './accept-start.js';
import type { ClientToolDto } from './dto/client-tool.dto.js';
import type { RunOptionsDto } from './dto/run-options.dto.js';
import { fingerprint } from './fingerprint.js';
import { LeaseKeeper } from '../runs/runner/lease-keeper.js';
import { Runner } from '../runs/runner/runner.js';

const DEFAULT_AGENT = 'react';
/** How long a run waits for its first reader to listen, in milliseconds. */
const HEARD_LIMIT_MS = 500;

export interface StartRequest {
  readonly chat_id: string;
  readonly user_message: string;
  /** The interaction that this one replaces. */
  readonly edited_from?: string;
  readonly body: RunOptionsDto;
  readonly on_conflict: StartInteraction['on_conflict'];
  readonly idempotency_key?: string;
  /** What `on_disconnect` is unless the body says. */
  readonly on_disconnect: 'cancel' | 'continue';
}

/** Starts interactions and finds them. */
@Injectable()
export class InteractionsService {
  constructor(
    private readonly chats: ChatStore,
    private readonly interactions: InteractionStore,
    private readonly bus: LiveBus,
    private readonly agents: AgentRegistry,
    private readonly models: ModelRegistry,
    private readonly tools: ToolRegistry,
    private readonly queue: RunQueue,
    private readonly runner: Runner,
    private readonly leases: LeaseKeeper,
    private readonly intake: AdmissionGate,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * Saves the interaction and has it run, now or when its turn comes; the same idempotency key and body answer the one that was started
   * before. Where another process may run it, it waits a moment
   * for `onAccepted`, so that readers hear all of it.
   * @throws AppError as `acceptStart`, and `unknown_agent`, `unknown_model`, `invalid_body` (400), `shutting_down` (503)
   */
  async start(
    request: StartRequest,
    onAccepted: (row: InteractionRow) => Promise<void> = () => Promise.resolve(),
  ): Promise<InteractionRow> {
    this.intake.requireOpen();
    const start = await this.prepare(request);
    const leased_at = this.clock.monotonic();
    const outcome = acceptStart(await this.interactions.startInteraction(start));
    const row = outcome.interaction;
    if (outcome.outcome === 'queued') await this.afterQueueing(row, outcome.interrupted);
    const heard = onAccepted(row);
    if (outcome.outcome === 'started') {
      if (start.lease) this.runner.runClaimed(row, outcome.first, leased_at);
      else
        void doneWithin(heard, HEARD_LIMIT_MS).then(() =>
          this.queue.enqueue(row.id, { as: 'new' }),
        );
    }
    return row;
  }

  /** @throws AppError `interaction_not_found` (404), also when it belongs to another chat */
  async get(chatId: string, interactionId: string): Promise<InteractionRow> {
    const row = await this.interactions.findInteraction(interactionId);
    if (row?.chat_id === chatId) return row;
    throw new AppError(
      'not_found',
      'interaction_not_found',
      `The chat ${chatId} has no interaction ${interactionId}. GET /chats/${chatId} lists those it has.`,
    );
  }

  /** Whoever it interrupts is told; what it waits for may have ended just now. */
  private async afterQueueing(
    { chat_id }: InteractionRow,
    interrupted: string | null,
  ): Promise<void> {
    if (interrupted !== null) {
      this.bus.wake(interrupted);
      this.queue.enqueue(interrupted);
    }
    const at = this.clock.now().toISOString();
    for (const id of await this.interactions.promoteQueued(at, chat_id))
      this.queue.enqueue(id, { as: 'new' });
  }

  private async prepare(request: StartRequest): Promise<StartInteraction> {
    const { chat_id, body, idempotency_key, edited_from, on_conflict, user_message } = request;
    const interaction = await this.describe(request);
    return {
      chat: {
        id: chat_id,
        title: null,
        agent: null,
        created_at: interaction.created_at,
        metadata: {},
      },
      interaction,
      on_conflict,
      ...(edited_from !== undefined && { edited_from }),
      ...(idempotency_key !== undefined && {
        idempotency: {
          key: idempotency_key,
          fingerprint: fingerprint({ body, user_message, edited_from, on_conflict }),
        },
      }),
      ...(this.queue.isImmediate && { lease: this.leases.terms }),
    };
  }

  private async describe({
    chat_id,
    user_message,
    body,
    ...request
  }: StartRequest): Promise<NewInteraction> {
    const agent = body.agent ?? (await this.agentOf(chat_id));
    this.agents.get(agent);
    const type = this.agents.find(agent)?.type;
    const model = body.model ?? type?.model ?? this.config.model;
    this.models.resolve(model);
    if (body.budget?.cost_usd !== undefined) this.requirePrice(model);
    const client_tools = body.client_tools ?? [];
    this.checkClientTools(client_tools);
    return {
      id: this.ids.make('int'),
      chat_id,
      user_message,
      agent,
      agent_id: this.ids.make('agent'),
      model,
      settings: {
        max_iterations: body.max_iterations ?? type?.max_iterations ?? this.config.maxIterations,
        on_disconnect: body.on_disconnect ?? request.on_disconnect,
        approval_mode: body.approval_mode ?? 'ask',
        client_tools,
        ...(body.budget && { budget: body.budget }),
      },
      created_at: this.clock.now().toISOString(),
      metadata: body.metadata ?? {},
    };
  }

  /** A budget that nothing counts for is none. */
  private requirePrice(model: string): void {
    const unknown = this.models
      .resolve(model)
      .find(({ name }) => this.config.modelPrices?.[name] === undefined);
    if (!unknown) return;
    const message = `The price of ${unknown.name} is not known here. Add it to MODEL_PRICES, or bound tokens instead.`;
    const errors = [{ field: 'budget.cost_usd', message }];
    throw new AppError('invalid', 'unknown_price', message, { errors });
  }

  private checkClientTools(tools: readonly ClientToolDto[]): void {
    const errors = tools.flatMap(({ name }, index) =>
      this.tools.find(name)
        ? [
            {
              field: `client_tools.${index}.name`,
              message: `the server has a tool "${name}" of its own`,
            },
          ]
        : [],
    );
    if (errors.length > 0)
      throw new AppError(
        'invalid',
        'invalid_body',
        `Rename ${errors.map(({ field }) => field).join(', ')}: the server has tools of these names.`,
        { errors },
      );
  }

  private async agentOf(chatId: string): Promise<string> {
    return (await this.chats.findChat(chatId))?.agent ?? DEFAULT_AGENT;
  }
}
