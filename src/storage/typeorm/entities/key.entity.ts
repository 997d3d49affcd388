import { EntitySchema } from 'typeorm';
import type { ApiKey } from '../../../auth/keys/key-store.js';
import { ID, nullable, TEXT, TIME } from './columns.js';

export const KeyEntity = new EntitySchema<ApiKey>({
  name: 'api_keys',
  columns: {
    id: { ...ID, primary: true },
    tenant_id: ID,
    user_id: TEXT,
    scopes: { ...TEXT, array: true },
    secret_hash: TEXT,
    created_at: TIME,
    expires_at: nullable(TIME),
    created_by: TEXT,
  },
});
