import type { Journal } from '../journal/journal.js';
import type { Conversation } from '../../conversation/conversation.js';
import { guardFailure } from '../guarding/guard-failure.js';
import { guardedAgent } from '../guarding/guarding.js';
import { GuardedResult } from '../guarding/guarded-result.js';
import { intervened } from '../children/interventions.js';
import type { AgentScope } from '../scope/agent-scope.js';
import { settleInTime } from './settle-in-time.js';
import type { GuardedAgent } from '../../guardrails/guardrail.js';
import type { Entry } from '../../event-log/append/run-log.js';
import { closeStopped } from './close-calls.js';
import { cancelled } from './ending.js';
import type { Ending, FailureContext } from './ending.js';
import { startedBody } from '../../persistence/rows/log-record.js';
import type { InteractionRow } from '../../persistence/rows/store-rows.js';
import type { Message } from '../../protocol/message.js';
import type { OpenWork } from '../open-work.js';

export interface RunFinishOptions {
  readonly scope: AgentScope;
  readonly state: OpenWork;
  readonly journal: Journal;
  readonly conversation: Conversation;
}

/** Brings an interaction to its end: waits for what was stopped, and writes the last append. */
export class RunFinish {
  constructor(private readonly options: RunFinishOptions) {}

  get context(): FailureContext {
    const { scope, state } = this.options;
    const { unstoppable, log, services } = scope;
    const { epoch } = scope.interaction;
    const settlementOf = (id: string) => scope.settlementOf(id);
    const limit = (output: string) => services.executor.limit(this.read(output));
    const newBlockId = () => log.newBlockId();
    const guard = (cause: unknown) => guardFailure(scope, guardedRoot(scope.interaction), cause);
    return { state, unstoppable, settlementOf, limit, epoch, newBlockId, guard };
  }

  /** Resolves when nothing of the run is running any more, or has had its time to stop. */
  settle(grace_ms?: number): Promise<void> {
    return settleInTime(this.options.scope, grace_ms);
  }

  /** Writes what became of tools that must not run again, and did not stop when the server was stopped. */
  async closeStopped(): Promise<void> {
    const { tools } = this.options.scope.services;
    const mayRunAgain = (name: string): boolean => tools.find(name)?.policy.recovery !== 'report';
    const entries = closeStopped(this.context, mayRunAgain);
    if (entries.length > 0) await this.options.scope.log.append(entries);
  }

  cancelled(reason: string): Ending {
    const turns = [...this.options.scope.turns];
    const shown = turns.find((turn) => turn.options.answers && turn.shownText)?.shownText;
    return cancelled(this.context, {
      reason,
      ...(shown && { shown }),
      models: turns.map((turn) => turn.options.model),
      told: this.deletes(),
    });
  }

  /** What a client has sent in time, as models and people get to read it. */
  private read(output: string): string {
    const { scope } = this.options;
    return new GuardedResult(scope, guardedRoot(scope.interaction)).read(output);
  }

  /** Who had the root stopped. */
  private deletes(): Entry[] {
    const { scope, state } = this.options;
    const rows = scope.shared.interventions.takeDeletes(state.rootAgentId);
    return rows.map((row) => intervened(row, null));
  }

  /** Answers the messages that the interaction has added to its chat. */
  async write({ status, error, entries }: Ending): Promise<readonly Message[]> {
    const { scope, state, journal, conversation } = this.options;
    const all = state.lastSeq === 0 ? [this.started(), ...entries] : entries;
    const rest = [...journal.undelivered(), ...all].filter(
      ({ agent_id }) => agent_id === state.rootAgentId,
    );
    const completed_at = scope.services.clock.now().toISOString();
    const added_messages = conversation.addedWith(rest);
    const end = { status, error, completed_at, added_messages };
    await scope.log.append(all, { status, end });
    return added_messages;
  }

  /** Of an interaction that ends before its turn came. */
  private started(): Entry {
    const { interaction } = this.options.scope;
    return { agent_id: interaction.agent_id, key: null, body: startedBody(interaction) };
  }
}

function guardedRoot({ agent_id, agent, chat_id, id }: InteractionRow): GuardedAgent {
  return guardedAgent({ id: agent_id, type: agent, chat_id, interaction_id: id });
}
