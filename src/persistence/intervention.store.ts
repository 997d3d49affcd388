import type {
  InterveneOutcome,
  InterventionRow,
  NewIntervention,
} from './rows/intervention-rows.js';

/** Port: messages of users to running agents. */
export abstract class InterventionStore {
  /**
   * Saves an intervention in an interaction of the tenant that has not ended, and increments its
   * `signals`.
   */
  abstract intervene(wanted: NewIntervention, tenantId: string): Promise<InterveneOutcome>;
  /**
   * The interventions of one interaction, in the order of acceptance; at most `MAX_INTERVENTIONS`.
   */
  abstract listInterventions(interactionId: string): Promise<InterventionRow[]>;
}
