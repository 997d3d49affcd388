import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { viewerOf } from '../access/viewer-of.js';
import { AgentRegistry } from '../agents/agent-registry.js';
import { requireScope } from '../auth/auth-errors.js';
import type { Principal } from '../auth/principal.js';
import { Config } from '../config/config.js';
import { AttachedFiles } from '../files/attached/attached-files.js';
import { AppError } from '../kernel/app-error.js';
import { canonicalJson } from '../kernel/canonical-json.js';
import { Clock } from '../kernel/clock.js';
import { Ids } from '../kernel/ids.js';
import { ModelRegistry } from '../models/model-registry.js';
import { ChatAccess } from '../access/chat-access.js';
import type {
  IdempotencyKey,
  NewInteraction,
  StartInteraction,
} from '../persistence/rows/store-rows.js';
import { ToolRegistry } from '../tools/core/tool-registry.js';
import type { ApprovalMode } from '../protocol/interaction.js';
import type { RedactedCounts } from '../protocol/redacted.js';
import type { ClientToolDto, RunOptionsDto } from './dto/run-options.dto.js';

const DEFAULT_AGENT = 'react';

/** With these, the agent goes on before a person has decided. */
export const DECIDING_MODES: readonly unknown[] = ['auto', 'defer'];

export interface StartRequest {
  readonly caller: Principal;
  readonly chat_id: string;
  readonly user_message: string;
  /** Of the message. */
  readonly redacted?: RedactedCounts;
  /** The interaction that this one replaces. */
  readonly edited_from?: string;
  readonly body: RunOptionsDto;
  readonly on_conflict: StartInteraction['on_conflict'] | undefined;
  readonly idempotency_key: string | undefined;
  /** The client doesn't read the stream: `on_disconnect` is `continue` by default. */
  readonly background: boolean;
}

/** Builds the interaction to start from a request, with all defaults filled in. */
@Injectable()
export class InteractionFactory {
  constructor(
    private readonly access: ChatAccess,
    private readonly agents: AgentRegistry,
    private readonly models: ModelRegistry,
    private readonly tools: ToolRegistry,
    private readonly files: AttachedFiles,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * @throws AppError `unknown_agent`, `unknown_model`, `unknown_price`, `invalid_body` (400),
   * `missing_scope` (403)
   */
  async create(request: StartRequest): Promise<StartInteraction> {
    const { chat_id: id, caller, edited_from, on_conflict = 'reject' } = request;
    const { tenant_id, user_id: owner } = caller;
    const interaction = await this.describe(request);
    const idempotency = idempotencyOf(request);
    const { created_at } = interaction;
    return {
      chat: {
        ...{ uid: this.ids.makeUid(), id, tenant_id, owner, visibility: 'private' },
        ...{ title: null, agent: null, created_at, metadata: {} },
      },
      viewer: viewerOf(caller),
      interaction,
      on_conflict,
      ...(edited_from !== undefined && { edited_from }),
      ...(idempotency && { idempotency }),
    };
  }

  private async describe(request: StartRequest): Promise<NewInteraction> {
    const { caller, chat_id, user_message, redacted, body, background } = request;
    const agent =
      body.agent ?? (await this.access.findChat(caller, chat_id))?.agent ?? DEFAULT_AGENT;
    this.agents.get(agent);
    const type = this.agents.find(agent)?.type;
    const model = body.model ?? type?.model ?? this.config.model;
    this.models.resolve(model);
    if (body.budget?.cost_usd !== undefined) this.requirePrice(model);
    const client_tools = body.client_tools ?? [];
    this.checkClientTools(client_tools);
    const max_iterations = type?.max_iterations ?? this.config.maxIterations;
    this.checkCeilings(body, Math.max(max_iterations, this.config.maxIterations));
    const [firstMode = 'ask'] = this.config.allowedApprovalModes;
    const approval_mode = body.approval_mode ?? (this.isAllowed('ask') ? 'ask' : firstMode);
    if (DECIDING_MODES.includes(approval_mode)) requireScope(caller, 'decide');
    const files = await this.filesOf(request);
    return {
      id: this.ids.make('int'),
      chat_id,
      user_message,
      agent,
      agent_id: this.ids.make('agent'),
      model,
      settings: {
        max_iterations: body.max_iterations ?? max_iterations,
        on_disconnect: body.on_disconnect ?? (background ? 'continue' : 'cancel'),
        approval_mode,
        client_tools,
        ...(body.budget && { budget: body.budget }),
        ...(files.length > 0 && { files }),
        ...(redacted && { redacted }),
      },
      created_at: this.clock.now().toISOString(),
      metadata: body.metadata ?? {},
    };
  }

  /** An edit that names none keeps those of the edited message. */
  private async filesOf({ caller, chat_id, body, edited_from }: StartRequest) {
    if (body.file_ids) return this.files.find(caller, body.file_ids);
    if (edited_from === undefined) return [];
    return (await this.access.interaction(caller, chat_id, edited_from)).settings.files ?? [];
  }

  /** Refuses values of settings that the operator has excluded. */
  private checkCeilings({ max_iterations = 0, approval_mode }: RunOptionsDto, most: number): void {
    if (max_iterations > most)
      throw invalidField('max_iterations', `max_iterations may be at most ${most} here.`);
    if (approval_mode === undefined || this.isAllowed(approval_mode)) return;
    const allowed = this.config.allowedApprovalModes.join(', ');
    const message = `approval_mode "${approval_mode}" is not allowed here; these are: ${allowed}.`;
    throw invalidField('approval_mode', message);
  }

  private isAllowed(mode: ApprovalMode): boolean {
    return this.config.allowedApprovalModes.includes(mode);
  }

  /** A cost budget can't be enforced for a model without a price. */
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
    const errors = tools.flatMap(({ name }, index) => {
      const message = `the server has a tool "${name}" of its own`;
      return this.tools.find(name) ? [{ field: `client_tools.${index}.name`, message }] : [];
    });
    if (errors.length === 0) return;
    const fields = errors.map(({ field }) => field).join(', ');
    const message = `Rename ${fields}: the server has tools of these names.`;
    throw new AppError('invalid', 'invalid_body', message, { errors });
  }
}

/**
 * The fingerprint is equal for bodies with the same fields, in any order, of the same user: another
 * user can't get the interaction by guessing the key.
 */
export function idempotencyOf(request: StartRequest): IdempotencyKey | undefined {
  const { idempotency_key: key, caller, body, user_message, edited_from } = request;
  const { on_conflict = 'reject' } = request;
  if (key === undefined) return undefined;
  const text = canonicalJson({
    user_id: caller.user_id,
    body,
    user_message,
    edited_from,
    on_conflict,
  });
  return { key, fingerprint: createHash('sha256').update(text).digest('hex') };
}

function invalidField(field: string, message: string): AppError {
  return new AppError('invalid', 'invalid_body', message, { errors: [{ field, message }] });
}
