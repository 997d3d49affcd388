import type {
  InterveneOutcome,
  InterventionRow,
  NewIntervention,
} from '../../persistence/rows/intervention-rows.js';
import { MAX_INTERVENTIONS } from '../../persistence/rows/intervention-rows.js';
import type { InteractionLog } from './interaction-log.js';
import type { LogGate } from './log-gate.js';
import { intervenedState } from './log-transitions.js';

/** What people tell agents: each in a frame of its own with the signal. */
export class FileInterventions {
  constructor(private readonly gate: LogGate) {}

  async add(wanted: NewIntervention): Promise<InterveneOutcome> {
    const outcome = await this.gate.write(wanted.interaction_id, (log) => addTo(log, wanted));
    return outcome ?? { outcome: 'unknown' };
  }

  async list(interactionId: string): Promise<InterventionRow[]> {
    return (await this.gate.read(interactionId, (log) => log.readInterventions())) ?? [];
  }
}

async function addTo(log: InteractionLog, wanted: NewIntervention): Promise<InterveneOutcome> {
  if (log.hasEnded || log.state.cancel_reason !== null) return { outcome: 'ended' };
  if (log.state.interventions >= MAX_INTERVENTIONS) return { outcome: 'too_many' };
  const state = intervenedState(log.state);
  const { interaction_id: _interaction_id, ...intervention } = wanted;
  await log.commit(state, {
    records: [],
    intervention: { ...intervention, signal: state.signals },
  });
  return { outcome: 'accepted', interaction: await log.readRow() };
}
