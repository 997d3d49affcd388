import { z } from 'zod';
import { components } from './components.js';
import type { Immutable } from '../json.js';
import { text } from './fields.js';

const fieldFault = z
  .object({
    field: text.meta({ description: 'Path of the field.', example: 'client_tools.0.name' }),
    message: text.meta({ example: 'must be a string' }),
  })
  .register(components, { id: 'FieldFault' });

export const problem = z
  .object({
    type: text.meta({
      description: 'Stable identifier of the kind of error.',
      example: '/problems/not_found',
    }),
    title: text.meta({ example: 'Not found' }),
    status: z.int().meta({ description: 'The HTTP status.', example: 404 }),
    detail: text.describe('What happened and how to fix it.'),
    instance: text.meta({ description: 'Path of the request.', example: '/chats/none' }),
    errors: z.array(fieldFault).optional().describe('One per invalid field.'),
  })
  .describe('An error (RFC 9457). Some have more members than these.')
  .register(components, { id: 'Problem' });

/** `application/problem+json` (RFC 9457); `type` is `/problems/<code>`, stable. */
export type Problem = Immutable<z.infer<typeof problem>> & { readonly [extra: string]: unknown };
