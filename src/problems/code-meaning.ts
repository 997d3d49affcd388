import { z } from 'zod';
import type { Immutable } from '../protocol/json.js';
import { text } from '../protocol/wire/fields.js';
import { components } from '../protocol/wire/components.js';

export const codeMeaning = z
  .object({
    type: text.meta({ example: '/problems/chat_busy' }),
    code: text.meta({ example: 'chat_busy' }),
    status: z.int().nullable().meta({
      description: 'The status of the problem over HTTP; null for a code of events only.',
      example: 409,
    }),
    meaning: text.meta({ example: 'An interaction runs, waits or is queued in the chat.' }),
  })
  .register(components, { id: 'CodeMeaning' });

export type CodeMeaning = Immutable<z.infer<typeof codeMeaning>>;
