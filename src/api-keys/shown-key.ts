import { z } from 'zod';
import { SCOPES } from '../auth/principal.js';
import type { Immutable } from '../protocol/json.js';
import { text, time } from '../protocol/wire/fields.js';
import { components } from '../protocol/wire/components.js';
import { pageOf } from '../protocol/wire/page.js';

export const shownKey = z
  .object({
    id: text.meta({ example: '5f1c2a90b7e84d3f6a1b2c3d' }),
    tenant_id: text.meta({ example: 'default' }),
    user_id: text.meta({ example: 'ann' }),
    scopes: z.array(z.enum(SCOPES)),
    created_at: time,
    expires_at: time.nullable(),
    created_by: text.meta({ description: 'The user who made it.', example: 'admin' }),
  })
  .describe('A key without its secret.')
  .register(components, { id: 'Key' });

export const createdKey = shownKey
  .extend({
    key: text.meta({
      description: 'The key itself, which is shown this once.',
      example: 'parley_<id>_<secret>',
    }),
  })
  .register(components, { id: 'CreatedKey' });

export const keyList = pageOf(shownKey, 'Oldest first.').register(components, { id: 'KeyList' });

/** A key without its secret. */
export type ShownKey = Immutable<z.infer<typeof shownKey>>;
export type CreatedKey = Immutable<z.infer<typeof createdKey>>;
export type KeyPage = Immutable<z.infer<typeof keyList>>;
