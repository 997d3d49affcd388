import { EntitySchema } from 'typeorm';
import type { InterventionRow } from '../../../persistence/rows/intervention-rows.js';
import { ID, INTEGER, nullable, TEXT, TIME } from './columns.js';

export const InterventionEntity = new EntitySchema<InterventionRow>({
  name: 'interventions',
  columns: {
    id: { ...ID, primary: true },
    interaction_id: ID,
    agent_id: ID,
    signal: INTEGER,
    user_comment: TEXT,
    user_content: nullable(TEXT),
    created_at: TIME,
    created_by: TEXT,
  },
});
