import { InterventionStore } from '../../persistence/intervention.store.js';
import type {
  InterveneOutcome,
  InterventionRow,
  NewIntervention,
} from '../../persistence/rows/intervention-rows.js';
import { MAX_INTERVENTIONS } from '../../persistence/rows/intervention-rows.js';
import { intervenedState } from './core/interaction-state.js';
import type { StoreCore } from './core/store-core.js';

/** Each intervention is in an append of its own, with the signal. */
export class MemoryInterventionStore extends InterventionStore {
  constructor(private readonly core: StoreCore) {
    super();
  }

  async intervene(
    { interaction_id, ...wanted }: NewIntervention,
    tenantId: string,
  ): Promise<InterveneOutcome> {
    const outcome = await this.core.change(
      interaction_id,
      async (interaction): Promise<InterveneOutcome> => {
        const { hasEnded, state, known } = interaction;
        if (known.tenant_id !== tenantId) return { outcome: 'unknown' };
        if (hasEnded || state.cancel_reason !== null) return { outcome: 'ended' };
        if (state.interventions >= MAX_INTERVENTIONS) return { outcome: 'too_many' };
        const next = intervenedState(state);
        const intervention = { ...wanted, signal: next.signals };
        await interaction.commit(next, { records: [], intervention });
        return { outcome: 'accepted', interaction: await interaction.readRow() };
      },
    );
    return outcome ?? { outcome: 'unknown' };
  }

  async listInterventions(interaction_id: string): Promise<InterventionRow[]> {
    const interaction = this.core.index.findInteraction(interaction_id);
    if (!interaction?.state.interventions) return [];
    const notes = await this.core.read(interaction, ({ log }) => log.readNotes());
    return (notes ?? []).flatMap((note) =>
      'intervention' in note ? [{ ...note.intervention, interaction_id }] : [],
    );
  }
}
