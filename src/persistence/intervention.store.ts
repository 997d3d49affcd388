import type {
  InterveneOutcome,
  InterventionRow,
  NewIntervention,
} from './rows/intervention-rows.js';

/** Port: messages of people to agents at work. */
export abstract class InterventionStore {
  /** Saves an intervention in an interaction that has not ended, and increments its `signals`. */
  abstract intervene(wanted: NewIntervention): Promise<InterveneOutcome>;
  /** Of one interaction, in the order in which they were accepted; never more than `MAX_INTERVENTIONS`. */
  abstract listInterventions(interactionId: string): Promise<InterventionRow[]>;
}
