import { DELETED } from '../agents/interventions/deleted.js';
import type { AgentScope } from './scope/agent-scope.js';
import { listAllRequests } from '../approvals/list-all-requests.js';
import type { InteractionStore } from '../persistence/interaction.store.js';
import type { OpenWork } from './open-work.js';

export interface RunIntakeOptions {
  readonly store: InteractionStore;
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
    const { store, scope } = this.options;
    for await (const row of listAllRequests(store, { interaction_id: scope.interaction.id }))
      scope.takeRequests([row]);
  }

  /** What is for the root to be stopped is for the whole interaction. */
  async takeInterventions(): Promise<void> {
    const { store, scope, state, isStopped } = this.options;
    const { id } = scope.interaction;
    const { interventions } = scope.shared;
    interventions.offer(await store.listInterventions(id), state.takenIn);
    if (isStopped()) return;
    if (!interventions.unwanted.includes(state.rootAgentId)) return scope.shared.removeUnwanted();
    const row = await store.requestCancel(id, DELETED);
    this.options.cancel(row?.cancel_reason ?? DELETED);
  }
}
