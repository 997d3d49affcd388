import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap } from '@nestjs/common';
import { AgentRegistry } from '../../agents/agent-registry.js';
import { requireScope } from '../../auth/auth-errors.js';
import type { Principal } from '../../auth/principal.js';
import { Config } from '../../config/config.js';
import { ConfigError } from '../../config/config-error.js';
import { isUnderRoots } from '../../config/tenant-paths.js';
import { AppError } from '../../kernel/app-error.js';
import { ModelRegistry } from '../../models/model-registry.js';
import type { ApprovalMode } from '../../protocol/chat-settings.js';
import type { ChatSettings } from '../../protocol/wire/chat.js';

/** With these, the agent goes on before a person has decided. */
export const DECIDING_MODES: readonly unknown[] = ['auto', 'defer'];

type Checked = Pick<
  ChatSettings,
  'agent' | 'model' | 'approval_mode' | 'max_iterations' | 'budget' | 'workspace'
>;

/** The checks of a start, and of the settings of a chat. */
@Injectable()
export class RunChecks implements OnApplicationBootstrap {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly models: ModelRegistry,
    private readonly config: Config,
  ) {}

  /** @throws ConfigError if there is no agent `DEFAULT_AGENT` */
  onApplicationBootstrap(): void {
    const { defaultAgent } = this.config;
    if (this.agents.find(defaultAgent)) return;
    const known = this.agents.list().map(({ type }) => type.name);
    const problem = `there is no agent "${defaultAgent}"; use one of: ${known.join(', ')}`;
    throw new ConfigError([{ variable: 'DEFAULT_AGENT', problem }]);
  }

  /**
   * Checks what is given; the agent and the model of the rest are the server's.
   * @param prefix of the fields in errors
   * @throws AppError `unknown_agent`, `unknown_model`, `unknown_price`, `invalid_body` (400),
   * `missing_scope` (403)
   */
  require(caller: Principal, given: Checked, prefix = ''): void {
    const { agent = this.config.defaultAgent, approval_mode, max_iterations = 0 } = given;
    try {
      if (given.agent !== undefined) this.agents.get(agent);
      if (given.model !== undefined) this.models.resolve(given.model);
      if (max_iterations > this.mostIterations(agent)) throw tooMany(this.mostIterations(agent));
      if (approval_mode !== undefined) this.requireMode(caller, approval_mode);
      if (given.workspace !== undefined) this.requireWorkspace(caller, given.workspace);
      const model = given.model ?? this.agents.find(agent)?.type.model ?? this.config.model;
      if (given.budget?.cost_usd !== undefined) this.requirePrice(model);
    } catch (error) {
      throw error instanceof AppError ? inFields(error, prefix) : error;
    }
  }

  /** The ceiling of this kind of agent. */
  mostIterations(agent: string): number {
    const own = this.agents.find(agent)?.type.max_iterations ?? 0;
    return Math.max(own, this.config.maxIterations);
  }

  private requireMode(caller: Principal, mode: ApprovalMode): void {
    const allowed = this.config.allowedApprovalModes;
    if (!allowed.includes(mode)) {
      const message = `approval_mode "${mode}" is not allowed here; these are: ${allowed.join(', ')}.`;
      throw invalidField('approval_mode', message);
    }
    if (DECIDING_MODES.includes(mode)) requireScope(caller, 'decide');
  }

  /** By its path only: a tool that runs checks that the folder exists, and where links lead. */
  private requireWorkspace({ tenant_id }: Principal, path: string): void {
    if (isUnderRoots(path, this.config.workspaceRoots, tenant_id)) return;
    const message = 'workspace must be an absolute path under one of the WORKSPACE_ROOTS.';
    throw invalidField('workspace', message);
  }

  /** A cost budget can't be enforced for a model without a price. */
  private requirePrice(model: string): void {
    const unknown = this.models.resolve(model).find(({ name }) => !this.config.prices.of(name));
    if (!unknown) return;
    const message = `The price of ${unknown.name} is not known here. Add it to MODEL_PRICES or PRICES_FILE, or bound tokens instead.`;
    const errors = [{ field: 'budget.cost_usd', message }];
    throw new AppError('invalid', 'unknown_price', message, { errors });
  }
}

function inFields({ kind, code, message, errors, extra }: AppError, prefix: string): AppError {
  const named = errors.map((each) => ({ ...each, field: `${prefix}${each.field}` }));
  return new AppError(kind, code, message, { errors: named, extra });
}

function tooMany(most: number): AppError {
  return invalidField('max_iterations', `max_iterations may be at most ${most} here.`);
}

function invalidField(field: string, message: string): AppError {
  return new AppError('invalid', 'invalid_body', message, { errors: [{ field, message }] });
}
