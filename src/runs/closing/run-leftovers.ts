import type { Leftovers, OpenDeferredCall } from '../scope/leftovers.js';
import type { AgentScope } from '../scope/agent-scope.js';
import type { Clock } from '../../kernel/clock.js';
import type { RequestStore } from '../../persistence/request.store.js';
import type { Entry } from '../../event-log/append/run-log.js';
import { closeRequests } from './close-requests.js';
import { closeAgents, closeCalls, closeQuestions } from './close-calls.js';
import type { ClosingContext } from './close-calls.js';

export interface RunLeftoversOptions {
  readonly requests: RequestStore;
  readonly clock: Clock;
  readonly scope: () => AgentScope;
  readonly context: () => ClosingContext;
}

const WHY = 'The agent was stopped before this tool call finished.';

/** What a run's agents have begun and not ended. */
export class RunLeftovers implements Leftovers {
  constructor(private readonly options: RunLeftoversOptions) {}

  deferredCalls(agentId: string): readonly OpenDeferredCall[] {
    const { state } = this.options.context();
    return state.deferredCalls().filter(({ agent_id }) => agent_id === agentId);
  }

  async close(agentId: string): Promise<readonly Entry[]> {
    const context = this.options.context();
    const agents = context.state.agents.tree(agentId);
    const ids = new Set(agents.map(({ agent_id }) => agent_id));
    const scope = this.options.scope();
    if (context.state.hasAsked) await closeRequests({ ...this.options, scope }, ids);
    return [
      ...this.voidTurns(ids),
      ...closeQuestions(context, ids),
      ...closeCalls(context, WHY, ids),
      ...closeAgents(
        agents.filter(({ agent_id }) => agent_id !== agentId),
        'The agent above it has ended.',
      ),
    ];
  }

  /** What readers have seen of turns that will not be completed. */
  private voidTurns(agents: ReadonlySet<string>): Entry[] {
    const { turns } = this.options.scope();
    return [...turns].flatMap((turn): Entry[] => {
      const { agent_id, visible } = turn.options;
      if (!agents.has(agent_id)) return [];
      turns.delete(turn);
      const blocks = visible ? turn.blockIds() : [];
      if (blocks.length === 0) return [];
      const message = 'The agent was stopped while its model answered.';
      const body = { type: 'NOTICE', code: 'agent_stopped', message, void: blocks } as const;
      return [{ agent_id, key: null, body }];
    });
  }
}
