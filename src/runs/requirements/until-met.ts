import type { Logger } from '@nestjs/common';
import type { Entry } from '../../event-log/append/run-log.js';
import type { Clock } from '../../kernel/clock.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { describeMet, describeMissing, findMissing, shownRequirement } from './find-missing.js';
import type { Requirement } from './find-missing.js';
import type { Inventory } from './inventory.js';
import type { Requirements } from './requirements.js';

/** Interval at which a run in memory looks again, in milliseconds. */
const RECHECK_MS = 5_000;

/** The scope of an agent that waits. */
interface WaitingScope {
  readonly run: {
    readonly interaction: InteractionRow;
    readonly requirements: Requirements;
    /** `ask`: while a step waits, until it calls the result. */
    readonly activity: { ask(): () => void };
    readonly services: Inventory & { readonly clock: Clock; readonly logger: Logger };
  };
  readonly signal: AbortSignal;
  append(entries: readonly Entry[]): Promise<unknown>;
}

/**
 * Resolves once the server has what is required. Meanwhile this step waits as one that asks a
 * person does: its run is parked when no other step works, so that no work is lost.
 * @throws the abort reason
 */
export async function untilMet(
  scope: WaitingScope,
  requirement: Requirement,
  agent_id: string,
): Promise<void> {
  const reason = await findMissing(scope.run.services, requirement);
  if (reason !== undefined) {
    const message = describeMissing(requirement, reason);
    await tell(scope, { requirement, agent_id, message, state: 'missing' });
    await wait(scope, requirement);
  }
  const message = describeMet(requirement);
  await tell(scope, { requirement, agent_id, message, state: 'met' });
}

/** A decision is not used up by a tool, or a folder of its chat, that the server lacks (I5). */
export async function untilCallable(
  scope: WaitingScope,
  { name, agent_id }: { readonly name: string; readonly agent_id: string },
): Promise<void> {
  await untilMet(scope, `tool:${name}`, agent_id);
  const { services, interaction } = scope.run;
  if (services.tools.find(name)?.uses_workspace)
    await untilMet(scope, `folder:${interaction.chat_uid}`, agent_id);
}

async function wait({ run, signal }: WaitingScope, requirement: Requirement): Promise<void> {
  const { services, requirements, activity } = run;
  const endWait = requirements.wait(requirement);
  const endAsk = activity.ask();
  try {
    do await services.clock.sleep(RECHECK_MS, signal);
    while ((await findMissing(services, requirement)) !== undefined);
    await requirements.parking;
    signal.throwIfAborted();
  } finally {
    endWait();
    endAsk();
  }
}

interface Told {
  readonly requirement: Requirement;
  readonly agent_id: string;
  readonly message: string;
  readonly state: 'missing' | 'met';
}

/** Unless the log says so already: a run that is resumed does not repeat it. */
async function tell(
  scope: WaitingScope,
  { requirement, agent_id, message, state }: Told,
): Promise<void> {
  const { requirements, services } = scope.run;
  const shown = shownRequirement(requirement);
  if (!requirements.note(shown, state)) return;
  const isMissing = state === 'missing';
  services.logger[isMissing ? 'warn' : 'log'](message);
  const code = isMissing ? 'requirement_missing' : 'requirement_met';
  const body = { type: 'NOTICE', code, message } as const;
  await scope.append([{ agent_id, key: null, body, hidden: { requirement: shown, state } }]);
}
