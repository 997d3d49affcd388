import { z } from 'zod';
import type { Immutable } from '../../protocol/json.js';
import { text, time } from '../../protocol/wire/fields.js';
import { components } from '../../protocol/wire/components.js';

export const issuedTicket = z
  .object({
    ticket: text.describe('For `?ticket=` on that path: one GET.'),
    expires_at: time.describe('60 s from now.'),
  })
  .register(components, { id: 'Ticket' });

export type IssuedTicket = Immutable<z.infer<typeof issuedTicket>>;
