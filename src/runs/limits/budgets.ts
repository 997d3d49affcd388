import { isCall } from './call-limits.js';
import { withCost } from './with-cost.js';
import { isRecordOf } from '../../persistence/rows/log-record.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { Prices } from '../../config/prices/prices.js';
import { AppError } from '../../kernel/app-error.js';
import type { Budget } from '../../protocol/budget.js';
import type { RecordOf } from '../../protocol/events.js';

interface BudgetOptions {
  readonly root_id: string;
  /** Budget of the whole tree. */
  readonly budget: Budget;
  readonly prices: Pick<Prices, 'of'>;
}

interface Account {
  readonly parent: Account | undefined;
  readonly budget: Budget;
  /** Working time of the interaction when the agent began. */
  readonly began_ms: number;
  tokens: number;
  tool_calls: number;
  cost_usd: number;
}

/**
 * Usage of the agents of a tree against their budgets: a fold over the committed log, so that a
 * step which a lost run left open is judged by all that was used since. The usage of an agent also
 * counts for all agents above it. A decision based on it is in the log, so it stays the same when
 * the interaction is resumed.
 */
export class Budgets {
  private readonly accounts = new Map<string, Account>();
  private readonly work = new WorkTime();
  private readonly refusals = new Map<string, string>();

  constructor(private readonly options: BudgetOptions) {
    this.open(options.root_id, undefined, options.budget);
  }

  apply(record: LogRecord): void {
    this.work.apply(record);
    const { body, agent_id, at } = record;
    switch (body.type) {
      case 'AGENT_STARTED': {
        const { budget = {} } = (isRecordOf(record, 'AGENT_STARTED') && record.hidden) || {};
        const began_ms = this.work.until(Date.parse(at));
        if (isCall(record)) this.count(body.parent_agent_id, null);
        return this.open(agent_id, this.accounts.get(body.parent_agent_id), budget, began_ms);
      }
      case 'TURN_COMPLETED':
        return this.spend(agent_id, body);
      case 'TOOL_CALL':
        return this.count(agent_id, record.key);
      default:
    }
  }

  /** Reason to refuse this call, for the model; decided by the order of the log. */
  refusalOf(key: string): string | undefined {
    return this.refusals.get(key);
  }

  /** Reason to refuse the start of an agent by this one; undefined if it may start. */
  refusalOfFork(agentId: string): string | undefined {
    const full = this.above(agentId).find(
      ({ budget, tool_calls }) => tool_calls >= (budget.tool_calls ?? Infinity),
    );
    return (
      full &&
      `No more than ${full.budget.tool_calls} tool calls and starts of agents may be made ${whose(full)}, and they are used up. Go on without a child agent.`
    );
  }

  /** The error if the budget of the agent, or one above it, is used up at `now`. */
  exceeded(agentId: string, now: number): AppError | undefined {
    for (const account of this.above(agentId)) {
      const used = this.usedUp(account, now);
      if (used !== undefined) return exceeded(account, used);
    }
    return undefined;
  }

  /** Milliseconds that the agent may still work; undefined if that is not limited. */
  remainingMs(agentId: string, now: number): number | undefined {
    const left = this.above(agentId).flatMap(({ budget, began_ms }) =>
      budget.wall_time_ms === undefined
        ? []
        : [began_ms + budget.wall_time_ms - this.work.until(now)],
    );
    return left.length === 0 ? undefined : Math.max(0, Math.min(...left));
  }

  private open(id: string, parent: Account | undefined, budget: Budget, began_ms = 0): void {
    this.accounts.set(id, { parent, budget, began_ms, tokens: 0, tool_calls: 0, cost_usd: 0 });
  }

  private spend(agentId: string, { model, usage }: RecordOf<'TURN_COMPLETED'>): void {
    const { input_tokens, output_tokens } = usage;
    const { cost_usd = 0 } = withCost(usage, this.options.prices.of(model));
    for (const account of this.above(agentId)) {
      account.tokens += input_tokens + output_tokens;
      account.cost_usd += cost_usd;
    }
  }

  private count(agentId: string, key: string | null): void {
    for (const account of this.above(agentId)) {
      const { tool_calls: limit } = account.budget;
      account.tool_calls++;
      if (limit !== undefined && account.tool_calls > limit && key !== null)
        this.refusals.set(
          key,
          `This call did not run: no more than ${limit} tool calls may be made ${whose(account)}, and they are used up. Go on with what you have, and say what is left to do.`,
        );
    }
  }

  /** The agent's account and those above it. */
  private above(agentId: string): Account[] {
    const found: Account[] = [];
    for (let at = this.accounts.get(agentId); at; at = at.parent) found.push(at);
    return found;
  }

  private usedUp(account: Account, now: number): string | undefined {
    const { tokens, cost_usd, wall_time_ms } = account.budget;
    if (tokens !== undefined && account.tokens >= tokens)
      return `${account.tokens} of ${tokens} tokens are used`;
    if (cost_usd !== undefined && account.cost_usd >= cost_usd)
      return `${account.cost_usd.toFixed(4)} of ${cost_usd} US dollars are spent`;
    const worked = this.work.until(now) - account.began_ms;
    if (wall_time_ms !== undefined && worked >= wall_time_ms)
      return `it has worked for ${worked} of ${wall_time_ms} ms`;
    return undefined;
  }
}

function exceeded(account: Account, used: string): AppError {
  return new AppError(
    'unprocessable',
    'budget_exceeded',
    `The budget ${whose(account)} is used up: ${used}. ${
      account.parent
        ? 'Do the rest without this agent, or start another one with a larger budget.'
        : 'Send a new message to go on, with a larger budget if the task needs it.'
    }`,
  );
}

function whose({ parent }: Account): string {
  return parent ? 'of this agent and those below it' : 'for one message of the user';
}

/** 0: no limit. */
interface BudgetSettings {
  readonly maxTokens: number;
  readonly maxWallTimeMs: number;
  readonly maxCostUsd: number;
}

/** The budget of an interaction's tree: the requested one, limited by the server's. */
export function treeBudget(wanted: Budget | undefined, settings: BudgetSettings): Budget {
  const allowed: Budget = {
    ...(settings.maxTokens > 0 && { tokens: settings.maxTokens }),
    ...(settings.maxWallTimeMs > 0 && { wall_time_ms: settings.maxWallTimeMs }),
    ...(settings.maxCostUsd > 0 && { cost_usd: settings.maxCostUsd }),
  };
  const names = ['tokens', 'tool_calls', 'wall_time_ms', 'cost_usd'] as const;
  const bounds = names.flatMap((name) => {
    const given = [wanted?.[name], allowed[name]].filter((bound) => bound !== undefined);
    return given.length > 0 ? [[name, Math.min(...given)] as const] : [];
  });
  return Object.fromEntries(bounds);
}

/**
 * Working time of an interaction, computed from the times of its log, so that every run gets the
 * same result. Excluded are the time while a person is asked or the server lacks a requirement, and
 * the time from the last record of a lost process until another process resumed the interaction.
 * While a call is deferred its agent works on; only the time from the last record before its
 * decision is excluded.
 */
class WorkTime {
  private worked = 0;
  private last: number | undefined;
  private readonly asked = new Set<string>();
  private readonly deferred = new Set<string>();

  apply(record: LogRecord): void {
    const { body, at } = record;
    const time = Date.parse(at);
    if (!this.endsWait(body)) this.worked = this.until(time);
    this.last = time;
    switch (body.type) {
      case 'APPROVAL_REQUIRED':
        return void this.asked.add(body.tool_call_id);
      case 'TOOL_RESULT_REQUIRED':
        return void this.asked.add(body.tool_call_id);
      case 'APPROVED':
      case 'REJECTED':
        return void this.asked.delete(body.tool_call_id);
      case 'TOOL_RESULT':
        this.asked.delete(body.id);
        if (isRecordOf(record, 'TOOL_RESULT') && record.hidden?.deferred !== undefined)
          this.deferred.add(body.id);
        return;
      case 'INPUT_REQUIRED':
        return void this.asked.add(body.request_id);
      case 'INPUT_RECEIVED':
        return void this.asked.delete(body.request_id);
      case 'NOTICE':
        return this.applyNotice(record.hidden);
      default:
    }
  }

  private applyNotice(hidden: LogRecord['hidden']): void {
    if (!hidden || !('requirement' in hidden)) return;
    if (hidden.state === 'missing') this.asked.add(hidden.requirement);
    else this.asked.delete(hidden.requirement);
  }

  /** True if nothing is known to have been done since the record before this one. */
  private endsWait(body: LogRecord['body']): boolean {
    switch (body.type) {
      case 'RESUMED':
        return true;
      case 'APPROVED':
      case 'REJECTED':
        return this.deferred.delete(body.tool_call_id);
      default:
        return false;
    }
  }

  /** Milliseconds of work until `time`, by the clock of the log's times. */
  until(time: number): number {
    if (this.last === undefined || this.asked.size > 0) return this.worked;
    return this.worked + Math.max(0, time - this.last);
  }
}
