import type { Entry } from '../../event-log/append/run-log.js';
import { AppError } from '../../kernel/app-error.js';
import type { Budget } from '../../protocol/budget.js';
import type { HiddenOf, RecordOf } from '../../protocol/events.js';
import type { AgentIdentity, AgentSettings } from '../../agents/agent-context.js';
import type { CompletingRecord } from '../journal/completes.js';
import type { Effect } from './effect.js';
import { isForkCounted } from '../limits/call-limits.js';
import type { AgentScope } from '../scope/agent-scope.js';

const REFUSED = 'fork_refused';

interface ForkInput {
  readonly key: string;
  readonly parent: AgentIdentity;
  readonly agent_type: string;
  readonly prompt: string;
  readonly settings: AgentSettings;
  readonly metadata?: AgentIdentity['metadata'] | undefined;
  readonly budget?: Budget | undefined;
  readonly tool_call_id?: string;
}

/** A started agent. */
export interface ForkedAgent {
  readonly identity: AgentIdentity;
  readonly settings: AgentSettings;
  readonly tool_call_id: string | undefined;
}

/** Starts a child agent. A refusal is journaled too: limits may change between runs. */
export class ForkEffect implements Effect<ForkedAgent> {
  readonly key: string;
  readonly label: string;

  constructor(
    private readonly scope: AgentScope,
    private readonly input: ForkInput,
  ) {
    this.key = input.key;
    this.label = `the fork of an agent "${input.agent_type}"`;
  }

  matches({ body }: CompletingRecord): boolean {
    if (body.type === 'NOTICE') return body.code === REFUSED;
    return body.type === 'AGENT_STARTED' && body.agent_type === this.input.agent_type;
  }

  async run(): Promise<void> {
    const refusal = this.refusal();
    if (!refusal) {
      this.scope.run.agents.add(this.key);
      this.scope.run.forks.add(this.key);
    }
    await this.scope.append([refusal ? this.refused(refusal) : this.started()]);
  }

  outcome({ body, hidden, agent_id: id }: CompletingRecord): ForkedAgent {
    if (body.type === 'NOTICE' && hidden && 'code' in hidden)
      throw new AppError('unprocessable', hidden.code, body.message);
    if (body.type !== 'AGENT_STARTED' || !hidden || !('settings' in hidden))
      throw new TypeError('not a fork');
    const { parent } = this.input;
    const { settings, metadata = parent.metadata } = hidden;
    const identity = { ...parent, id, type: body.agent_type, parent_id: parent.id, metadata };
    return { identity, settings, tool_call_id: body.tool_call_id };
  }

  /** Reason to refuse the start; undefined if the agent may start. */
  private refusal(): AppError | undefined {
    const { run, depth } = this.scope;
    const { maxAgentDepth, maxAgents, maxAgentsTotal } = run.services.config;
    if (depth >= maxAgentDepth)
      return tooMany(
        `Agents may be nested ${maxAgentDepth} deep. Do this part without a child agent.`,
      );
    if (run.agents.size >= maxAgents)
      return tooMany(`${maxAgents} agents may run at once. Wait for some of them first.`);
    if (run.forks.size >= maxAgentsTotal)
      return tooMany(
        `No more than ${maxAgentsTotal} agents may be started for one message of the user, and they are used up. Go on without a child agent.`,
      );
    const calls = this.callRefusal();
    if (calls !== undefined) return tooMany(calls);
    const over = run.budgets.exceeded(this.input.parent.id, run.now);
    if (over) return over;
    try {
      this.scope.run.services.agents.get(this.input.agent_type);
      return undefined;
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  private callRefusal(): string | undefined {
    const { key, tool_call_id, parent } = this.input;
    if (!isForkCounted({ key, tool_call_id })) return undefined;
    const { callLimits, budgets } = this.scope.run;
    return callLimits.refusalOfFork() ?? budgets.refusalOfFork(parent.id);
  }

  /** Settings journaled with the start: the agent's file may have changed by the next run. */
  private ofType(name: string): AgentSettings {
    const { model, max_iterations } = this.scope.run.services.agents.find(name)?.type ?? {};
    return { ...(model && { model }), ...(max_iterations && { max_iterations }) };
  }

  private refused({ code, message }: AppError): Entry {
    const hidden = { code };
    const body: RecordOf<'NOTICE'> = { type: 'NOTICE', code: REFUSED, message };
    return { agent_id: this.input.parent.id, key: this.key, body, hidden };
  }

  private started(): Entry {
    const { parent, agent_type, prompt, metadata, tool_call_id, budget } = this.input;
    const settings = { ...this.ofType(agent_type), ...this.input.settings };
    const hidden: HiddenOf<'AGENT_STARTED'> = {
      settings,
      ...(metadata && { metadata }),
      ...(budget && { budget }),
    };
    const body: RecordOf<'AGENT_STARTED'> = {
      type: 'AGENT_STARTED',
      parent_agent_id: parent.id,
      agent_type,
      prompt,
      ...(tool_call_id !== undefined && { tool_call_id }),
    };
    return { agent_id: this.scope.run.services.ids.make('agent'), key: this.key, body, hidden };
  }
}

function tooMany(message: string): AppError {
  return new AppError('unprocessable', 'too_many_agents', message);
}
