import type { DataKey } from '../../encryption/data-key.js';
import { InterventionStore } from '../../persistence/intervention.store.js';
import type {
  InterveneOutcome,
  InterventionRow,
  NewIntervention,
} from '../../persistence/rows/intervention-rows.js';
import type { ChatKeys } from './chat-keys.js';
import { openInteractions } from './encrypted-interaction-store.js';
import { keyIdOf, openText } from './sealed/sealed-fields.js';

/** Interventions in another store, encrypted. */
export class EncryptedInterventionStore extends InterventionStore {
  constructor(
    private readonly inner: InterventionStore,
    private readonly keys: ChatKeys,
  ) {
    super();
  }

  async intervene(wanted: NewIntervention, tenantId: string): Promise<InterveneOutcome> {
    const key = await this.keys.ofInteraction(wanted.interaction_id);
    if (!key) return { outcome: 'unknown' };
    const outcome = await this.inner.intervene(sealIntervention(key, wanted), tenantId);
    if (outcome.outcome !== 'accepted') return outcome;
    const [interaction] = await openInteractions(this.keys, [outcome.interaction]);
    return { outcome: 'accepted', interaction: interaction! };
  }

  async listInterventions(interactionId: string): Promise<InterventionRow[]> {
    const rows = await this.inner.listInterventions(interactionId);
    const texts = rows.flatMap(({ user_comment, user_content }) => [user_comment, user_content]);
    const keys = await this.keys.load(texts.map(keyIdOf));
    return rows.map((row) => {
      const { id, user_comment, user_content } = row;
      return {
        ...row,
        user_comment: openText(keys, user_comment, [id, 'user_comment']),
        user_content: openText(keys, user_content, [id, 'user_content']),
      };
    });
  }
}

export function sealIntervention<
  I extends Pick<NewIntervention, 'id' | 'user_comment' | 'user_content'>,
>(key: DataKey, intervention: I): I {
  const { id, user_comment, user_content } = intervention;
  return {
    ...intervention,
    user_comment: key.seal(user_comment, [id, 'user_comment']),
    user_content: user_content === null ? null : key.seal(user_content, [id, 'user_content']),
  };
}
