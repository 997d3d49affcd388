import { DELETED } from '../agents/interventions/deleted.js';
import type { AgentScope } from './scope/agent-scope.js';
import { listAllRequests } from '../approvals/list-all-requests.js';
import type { InteractionStore } from '../persistence/interaction.store.js';
import type { InterventionStore } from '../persistence/intervention.store.js';
import type { RequestStore } from '../persistence/request.store.js';
import type { OpenWork } from './open-work.js';

export interface RunIntakeStores {
  readonly interactions: InteractionStore;
  readonly requests: RequestStore;
  readonly interventions: InterventionStore;
}

export interface RunIntakeOptions {
  readonly stores: RunIntakeStores;
  readonly scope: AgentScope;
  readonly state: OpenWork;
  readonly isStopped: () => boolean;
  readonly cancel: (reason: string) => void;
}

/** Brings what people have decided, and said to agents, from the store into a run. */
export class RunIntake {
  constructor(private readonly options: RunIntakeOptions) {}

  /** Answers to whatever the agents have asked. */
  async takeRequests(): Promise<void> {
    const { stores, scope } = this.options;
    for await (const row of listAllRequests(stores.requests, {
      interaction_id: scope.interaction.id,
    }))
      scope.takeRequests([row]);
  }

  /** What is for the root to be stopped is for the whole interaction. */
  async takeInterventions(): Promise<void> {
    const { stores, scope, state, isStopped } = this.options;
    const { id } = scope.interaction;
    const { interventions } = scope.shared;
    interventions.offer(await stores.interventions.listInterventions(id), state.takenIn);
    if (isStopped()) return;
    if (!interventions.unwanted.includes(state.rootAgentId)) return scope.shared.removeUnwanted();
    const row = await stores.interactions.requestCancel(id, DELETED);
    this.options.cancel(row?.cancel_reason ?? DELETED);
  }
}
