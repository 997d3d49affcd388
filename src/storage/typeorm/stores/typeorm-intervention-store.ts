import { InterventionStore } from '../../../persistence/intervention.store.js';
import type {
  InterveneOutcome,
  InterventionRow,
  NewIntervention,
} from '../../../persistence/rows/intervention-rows.js';
import { MAX_INTERVENTIONS } from '../../../persistence/rows/intervention-rows.js';
import { InterventionEntity } from '../entities/intervention.entity.js';
import type { Database } from '../connection/database.js';
import type { ColumnsOfInteraction } from '../interactions/interaction-row.js';
import { INTERACTION_COLUMNS, toInteractionRow } from '../interactions/interaction-row.js';
import type { Statement } from '../connection/database.js';
import { asParameters, named } from '../named-statement.js';
import { IS_ACTIVE, IS_QUEUED } from '../interactions/interaction-row.js';

const LOCK: Statement = {
  name: 'interventions.lock',
  text: 'SELECT id FROM interactions WHERE id = $1 AND tenant_id = $2 FOR NO KEY UPDATE',
};

/** The columns beside `interaction_id` and `signal`. */
const COLUMNS = 'id, agent_id, user_comment, user_content, redacted, created_at, created_by';

/** Requires that lock. Saves the intervention and increments `signals`, or returns the obstacle. */
const ADD = named({
  name: 'interventions.add',
  parameters: `interaction_id, tenant_id, ${COLUMNS}`,
  text: `
    WITH verdict AS MATERIALIZED (
      SELECT i.id, CASE
          WHEN NOT (i.${IS_ACTIVE} OR i.${IS_QUEUED}) OR i.cancel_reason IS NOT NULL THEN 'ended'
          WHEN (SELECT count(*) FROM interventions v WHERE v.interaction_id = i.id) >= ${MAX_INTERVENTIONS} THEN 'too_many'
          ELSE 'accepted'
        END AS outcome
      FROM interactions i WHERE i.id = :interaction_id AND i.tenant_id = :tenant_id
    ),
    signalled AS (
      UPDATE interactions i SET signals = i.signals + 1 FROM verdict v
      WHERE i.id = v.id AND v.outcome = 'accepted' RETURNING ${INTERACTION_COLUMNS}
    ),
    added AS (
      INSERT INTO interventions (interaction_id, ${COLUMNS}, signal)
      SELECT s.id, ${asParameters(COLUMNS)}, s.signals FROM signalled s
    )
    SELECT v.outcome, s.* FROM verdict v LEFT JOIN signalled s ON true`,
});

type Verdict = ColumnsOfInteraction & Pick<InterveneOutcome, 'outcome'>;
/** Messages of users to agents, in Postgres. */
export class TypeOrmInterventionStore extends InterventionStore {
  constructor(private readonly db: Database) {
    super();
  }

  async intervene(wanted: NewIntervention, tenantId: string): Promise<InterveneOutcome> {
    const redacted = wanted.redacted && JSON.stringify(wanted.redacted);
    const [, verdicts] = await this.db.runs.batch<Verdict>([
      [LOCK, [wanted.interaction_id, tenantId]],
      ADD({ ...wanted, redacted, tenant_id: tenantId }),
    ]);
    const verdict = verdicts![0];
    if (!verdict) return { outcome: 'unknown' };
    if (verdict.outcome !== 'accepted') return { outcome: verdict.outcome };
    return { outcome: 'accepted', interaction: toInteractionRow(verdict) };
  }

  listInterventions(interactionId: string): Promise<InterventionRow[]> {
    const page = { where: { interaction_id: interactionId }, order: { signal: 'ASC' } } as const;
    return this.db.entities((manager) => manager.getRepository(InterventionEntity).find(page));
  }
}
