import { z } from 'zod';
import { components } from '../protocol/wire/components.js';
import { problem } from '../protocol/wire/problem.js';
import { QUOTAS } from './quotas.js';

export const quotaExceeded = problem
  .extend({
    quota: z
      .enum(QUOTAS)
      .optional()
      .describe('With `/problems/quota_exceeded`: the quota of the tenant that is used up.'),
  })
  .register(components, { id: 'QuotaExceeded' });
