import type { GuardedAgent } from '../../guardrails/guardrail.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { Settlement } from '../../persistence/rows/request-rows.js';
import { GuardedResult, guardedAgent } from '../guarding/guard-output.js';
import type { OpenWork } from '../scope/open-work.js';
import type { RunScope } from '../scope/run-scope.js';

/** State from which the records that end open work are built. */
export interface ClosingContext {
  readonly state: OpenWork;
  /** Names of tools that may still be running, by the ids of their calls. */
  readonly unstoppable: ReadonlyMap<string, string>;
  /** Settlement of a request before the end, if there is one. */
  readonly settlementOf: (requestId: string) => Settlement | undefined;
  /** The output as shown to models and people. */
  readonly limit: (output: string) => { readonly output: string; readonly truncated?: true };
  readonly epoch: number;
}

export function closingContext(run: RunScope): ClosingContext {
  const { openWork: state, unstoppable, requests, interaction, services } = run;
  const guarded = (output: string): string =>
    new GuardedResult(run, guardedRoot(interaction)).readAtOnce(output);
  return {
    ...{ state, unstoppable, epoch: interaction.epoch },
    settlementOf: (id) => requests.settlementOf(id),
    limit: (output) => services.executor.limit(guarded(output)),
  };
}

/** The root agent as guardrails see it. */
export function guardedRoot(interaction: InteractionRow): GuardedAgent {
  const { agent_id: id, agent: type, chat_id, id: interaction_id } = interaction;
  return guardedAgent({ id, type, chat_id, interaction_id });
}
