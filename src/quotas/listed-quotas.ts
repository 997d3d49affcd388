import { z } from 'zod';
import type { Immutable } from '../protocol/json.js';
import { components } from '../protocol/wire/components.js';
import { QUOTAS } from './quotas.js';

const listedQuota = z
  .object({
    quota: z.enum(QUOTAS),
    limit: z.int().min(1),
    used: z
      .int()
      .min(0)
      .nullable()
      .describe('As of some seconds ago. null: it is counted at each start only.'),
  })
  .register(components, { id: 'ListedQuota' });

export const quotaList = z
  .object({ items: z.array(listedQuota).describe('Those that are set.') })
  .register(components, { id: 'QuotaList' });

export type QuotaList = Immutable<z.infer<typeof quotaList>>;
