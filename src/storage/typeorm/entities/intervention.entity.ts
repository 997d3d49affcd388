import { EntitySchema } from 'typeorm';
import type { InterventionRow } from '../../../persistence/rows/intervention-rows.js';
import { ID, INTEGER, JSON_TEXT, nullable, TEXT, TIME } from './columns.js';

export const InterventionEntity = new EntitySchema<InterventionRow>({
  name: 'interventions',
  columns: {
    id: { ...ID, primary: true },
    interaction_id: ID,
    agent_id: ID,
    signal: INTEGER,
    user_comment: TEXT,
    user_content: nullable(TEXT),
    redacted: nullable(JSON_TEXT),
    created_at: TIME,
    created_by: TEXT,
  },
});
